package import Imaging

/// `darkroom-dev bench render`: measures the coordinator and its sandboxed renderers, next to a plain program with the
/// same library and next to the library's own tool.
package struct RenderBenchmark: Sendable {
    /// The references in `Benchmarks/render/reference`.
    package static let references = ["plain", "vipsthumbnail"]

    package struct Options: Sendable {
        /// The number of measurements; their median is reported.
        package var runs = 5
        /// Renderers, and processes of the references.
        package var processes = 2
        package var fidelity = RenditionSpec.Fidelity.quick

        package init() {}

        /// The standard recipe with the fidelity that is measured.
        var recipe: Recipe {
            var recipe = Recipe.standard
            for index in recipe.renditions.indices { recipe.renditions[index].fidelity = fidelity }
            return recipe
        }
    }

    let photos: String
    let renderer: String
    let options: Options
    let tools: BenchmarkTools
    let report: @Sendable (BenchmarkLine) -> Void
    let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - photos: a folder whose JPEGs are rendered.
    ///   - renderer: path of `darkroom-renderer`.
    package init(
        photos: String, renderer: String, options: Options, tools: BenchmarkTools,
        progress: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.photos = photos
        self.renderer = renderer
        self.options = options
        self.tools = tools
        self.progress = progress
        self.report = report
    }

    private struct Sample {
        var ours = RendererRun.Figures()
        /// With renderers that are used again.
        var pool = RendererRun.Figures()
        var plain: BenchmarkTools.Reference?
        var thumbnail: BenchmarkTools.Reference?
    }

    package func run() async throws {
        let paths = try PhotoFolder.photos(in: photos)
        var renderers = RendererRun(executable: renderer, size: options.processes)
        renderers.recipe = options.recipe
        var pool = renderers
        pool.isolation = .pool
        let arguments = ["--photos", photos, "--processes", String(options.processes)]
        var samples: [Sample] = []
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("\(paths.count) photos, run \(run) of \(options.runs)")
            // Alternating the order keeps a drift of the machine's speed out of the ratio.
            let goesFirst = !run.isMultiple(of: 2)
            var sample = Sample()
            if goesFirst { sample.ours = try await renderers.render(paths) }
            sample.pool = try await pool.render(paths)
            sample.plain = try await tools.reference("plain", arguments)
            if !goesFirst { sample.ours = try await renderers.render(paths) }
            sample.thumbnail = try await tools.reference("vipsthumbnail", arguments)
            samples.append(sample)
        }
        show(samples, photos: paths.count)
    }

    private func show(_ samples: [Sample], photos count: Int) {
        let note =
            "\(count) photos, \(options.processes) renderers, three renditions each, \(options.fidelity) fidelity"
        for (name, goal, part) in [
            ("plain", 0.95, \Sample.plain), ("vipsthumbnail", 3, \Sample.thumbnail),
        ] {
            let pairs = samples.compactMap { sample in
                sample[keyPath: part].map { (value: sample.ours.rate, reference: $0.value) }
            }
            report(
                pairs.count == samples.count
                    ? BenchmarkLine("render", "photos/s", pairs, against: name, goal: goal, note: note)
                    : BenchmarkLine(
                        "render", "photos/s", samples.map(\.ours.rate),
                        note: "\(note); \(tools.absence(of: name))"))
        }
        let isolationNote = "a process for each photo, next to one for many"
        report(
            BenchmarkLine(
                "render-isolation", "photos/s", samples.map { ($0.ours.rate, $0.pool.rate) }, against: "pool",
                goal: 0.9, note: isolationNote))
        report(
            BenchmarkLine(
                "render-isolation-cpu", "ms/photo", samples.map { ($0.ours.cpu, $0.pool.cpu) },
                against: "pool",
                goal: 1.1, lowerIsBetter: true, note: isolationNote))
        let cpu = samples.compactMap { sample in
            sample.plain?.detail?.cpuMsAPhoto.map { (value: sample.ours.cpu, reference: $0) }
        }
        let cpuNote = "user and system time of coordinator and renderers"
        report(
            cpu.count == samples.count
                ? BenchmarkLine(
                    "render-cpu", "ms/photo", cpu, against: "plain", goal: nil, lowerIsBetter: true,
                    note: cpuNote)
                : BenchmarkLine(
                    "render-cpu", "ms/photo", samples.map(\.ours.cpu), lowerIsBetter: true, note: cpuNote))
        for (stage, path) in StageTimes.stages {
            report(
                BenchmarkLine(
                    "render-cpu-\(stage)", "ms/photo",
                    samples.map { $0.ours.stages[keyPath: path] / Double(count) * 1000 },
                    lowerIsBetter: true, note: "as reported by the renderers"))
        }
        report(
            BenchmarkLine(
                "render-peak-memory", "MB", samples.map { Double($0.ours.peakBytes) / 1_048_576 },
                lowerIsBetter: true, note: "the largest renderer's resident memory"))
    }
}
