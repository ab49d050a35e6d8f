import ChildProcess
import FoundationEssentials
import Glibc
import Imaging

extension RenderBenchmark {
    /// Measures how close renditions are to the result of a full decode and one Lanczos reduction.
    package func runQuality() async throws {
        let paths = try PhotoFolder.photos(in: photos)
        var pixels = options.recipe
        for index in pixels.renditions.indices {
            pixels.renditions[index].encoding = RenditionEncoding(.jpeg, quality: 100)
        }
        // At quality 100 the encoding hardly matters, so this measures the scaling of the pixels.
        show(
            try await qualities(of: paths, recipe: pixels), "render-quality", minimalSSIM: 0.985,
            largestDifference: 1, note: "at JPEG quality 100, against a full decode and Lanczos")
        show(
            try await qualities(of: paths, recipe: options.recipe), "render-quality-coded",
            note: "the standard recipe with its encoding")
    }

    /// The values of one rendition, photo by photo.
    private struct Quality: Decodable {
        var ssim: [Double]
        var de2000: [Double]
    }

    private struct Qualities: Decodable { var renditions: [String: Quality] }

    private func qualities(of paths: [String], recipe: Recipe) async throws -> [String: Quality] {
        let folder = try makeTemporaryFolder("darkroom-quality")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        progress("rendering \(paths.count) photos")
        let pool = RendererPool(executable: renderer, size: options.processes)
        do {
            for path in paths { try await render(path, to: folder, recipe: recipe, pool: pool) }
        } catch {
            await pool.shutdown()
            throw error
        }
        await pool.shutdown()
        progress("comparing \(paths.count) photos")
        return try await tools.qualities(
            photos: photos, renditions: folder, processes: options.processes, as: Qualities.self
        ).renditions
    }

    private func render(_ path: String, to folder: String, recipe: Recipe, pool: RendererPool) async throws {
        let photo = path.split(separator: "/").last!
        let input = open(path, O_RDONLY | O_CLOEXEC)
        let outputs = recipe.renditions.map { rendition in
            open("\(folder)/\(photo).\(rendition.name).jpg", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        }
        defer { for descriptor in [input] + outputs { close(descriptor) } }
        let verdict = try await pool.render(input: input, outputs: outputs, recipe: recipe)
        guard case .accepted = verdict else { throw BenchmarkError("\(path): \(verdict)") }
    }

    private func show(
        _ qualities: [String: Quality], _ name: String, minimalSSIM: Double? = nil,
        largestDifference: Double? = nil, note: String
    ) {
        for rendition in Recipe.standard.renditions.map(\.name) {
            guard let quality = qualities[rendition] else { continue }
            let note = "\(quality.ssim.count) photos, \(note)"
            report(
                BenchmarkLine(
                    "\(name)-ssim-worst-\(rendition)", "SSIM", [quality.ssim.min() ?? 0], goal: minimalSSIM,
                    note: note))
            report(
                BenchmarkLine(
                    "\(name)-ssim-\(rendition)", "SSIM", [median(quality.ssim)], goal: minimalSSIM, note: note
                ))
            report(
                BenchmarkLine(
                    "\(name)-de2000-worst-\(rendition)", "ΔE2000", [quality.de2000.max() ?? 0],
                    goal: largestDifference, lowerIsBetter: true,
                    note: "the largest median of a photo; \(note)"))
            report(
                BenchmarkLine(
                    "\(name)-de2000-\(rendition)", "ΔE2000", [median(quality.de2000)],
                    goal: largestDifference,
                    lowerIsBetter: true, note: note))
        }
    }
}

extension BenchmarkTools {
    fileprivate func qualities<Result: Decodable>(
        photos: String, renditions: String, processes: Int, as: Result.Type
    ) async throws -> Result {
        guard let references else {
            throw BenchmarkError(
                "Benchmarks/render/reference does not exist: run in a checkout, or give --references")
        }
        var environment = ChildProgram.plainEnvironment
        environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        let output = try await ChildProgram(
            references,
            ["quality", "--photos", photos, "--renditions", renditions, "--processes", String(processes)],
            environment: environment, workingDirectory: FileManager.default.currentDirectoryPath
        ).runSuccessfully()
        return try JSONDecoder().decode(Result.self, from: Data(output.standardOutput.utf8))
    }
}
