import ChildProcess
import FoundationEssentials
import Glibc
import Imaging
import JobStore

/// What `darkroom bench render` measures: photos through the coordinator and its sandboxed renderers, beside a plain
/// program with the same library and beside the library's own tool.
package struct RenderBenchmark: Sendable {
    package struct Options: Sendable {
        /// Measurements of which the median is taken.
        package var runs = 5
        /// Renderers, and processes of the references.
        package var processes = 2

        package init() {}
    }

    private let photos: String
    private let renderer: String
    private let options: Options
    private let tools: BenchmarkTools
    private let report: @Sendable (BenchmarkLine) -> Void
    private let progress: @Sendable (String) -> Void

    /// - Parameters:
    ///   - photos: a folder; its JPEGs are rendered.
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
        var rate = 0.0
        var cpu = 0.0
        var peakBytes = 0
        var stages = StageTimes()
        var plain: BenchmarkTools.Reference?
        var thumbnail: BenchmarkTools.Reference?
    }

    package func run() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: photos)
        let paths = names.filter { $0.lowercased().hasSuffix(".jpg") || $0.lowercased().hasSuffix(".jpeg") }
            .sorted().map { "\(photos)/\($0)" }
        guard !paths.isEmpty else { throw BenchmarkError("\(photos) has no JPEG") }
        let arguments = ["--photos", photos, "--processes", String(options.processes)]
        var samples: [Sample] = []
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("\(paths.count) photos, run \(run) of \(options.runs)")
            // Taking turns at who goes first keeps a drift of the machine out of the ratio.
            var sample = run.isMultiple(of: 2) ? Sample() : try await rendered(paths)
            let plain = try await tools.reference("plain", arguments)
            if run.isMultiple(of: 2) { sample = try await rendered(paths) }
            sample.plain = plain
            sample.thumbnail = try await tools.reference("vipsthumbnail", arguments)
            samples.append(sample)
        }
        show(samples, photos: paths.count)
    }

    private func show(_ samples: [Sample], photos count: Int) {
        let note = "\(count) photos, \(options.processes) renderers, three renditions each"
        for (name, goal, part) in [
            ("plain", 0.95, \Sample.plain), ("vipsthumbnail", 3, \Sample.thumbnail),
        ] {
            let pairs = samples.compactMap { sample in
                sample[keyPath: part].map { (value: sample.rate, reference: $0.value) }
            }
            report(
                pairs.count == samples.count
                    ? BenchmarkLine("render", "photos/s", pairs, against: name, goal: goal, note: note)
                    : BenchmarkLine("render", "photos/s", samples.map(\.rate), note: note))
        }
        let cpu = samples.compactMap { sample in
            sample.plain?.detail?.cpuMsAPhoto.map { (value: sample.cpu, reference: $0) }
        }
        let cpuNote = "user and system time of coordinator and renderers"
        report(
            cpu.count == samples.count
                ? BenchmarkLine(
                    "render-cpu", "ms/photo", cpu, against: "plain", goal: nil, lowerIsBetter: true,
                    note: cpuNote)
                : BenchmarkLine(
                    "render-cpu", "ms/photo", samples.map(\.cpu), lowerIsBetter: true, note: cpuNote))
        for (stage, path) in StageTimes.stages {
            report(
                BenchmarkLine(
                    "render-cpu-\(stage)", "ms/photo",
                    samples.map { $0.stages[keyPath: path] / Double(count) * 1000 },
                    lowerIsBetter: true, note: "as the renderers tell"))
        }
        report(
            BenchmarkLine(
                "render-peak-memory", "MB", samples.map { Double($0.peakBytes) / 1_048_576 },
                lowerIsBetter: true, note: "the largest renderer's resident memory"))
    }

    private func rendered(_ paths: [String]) async throws -> Sample {
        // A renderer that is replaced takes its CPU time with it.
        var retirement = RendererPool.Retirement()
        retirement.photos = .max
        let pool = RendererPool(executable: renderer, size: options.processes, retirement: retirement)
        // Started and warm before the clock is.
        repeat { _ = try await pool.prove() } while pool.statistics.processes.count < options.processes
        let recipe = Recipe.standard
        let began = ContinuousClock.now
        let cpuBefore = Self.cpuSeconds(of: pool.statistics.processes)
        try await withThrowingTaskGroup { group in
            for path in paths {
                group.addTask {
                    let input = open(path, O_RDONLY | O_CLOEXEC)
                    let outputs = try recipe.renditions.map { _ in try Self.unnamedFile() }
                    defer { for descriptor in [input] + outputs { close(descriptor) } }
                    let verdict = try await pool.render(input: input, outputs: outputs, recipe: recipe)
                    guard case .accepted = verdict else { throw BenchmarkError("\(path): \(verdict)") }
                }
            }
            try await group.waitForAll()
        }
        var sample = Sample()
        sample.rate = Double(paths.count) / (ContinuousClock.now - began).inSeconds
        let processes = pool.statistics.processes
        sample.cpu = (Self.cpuSeconds(of: processes) - cpuBefore) / Double(paths.count) * 1000
        sample.stages = pool.statistics.cpu
        sample.peakBytes = processes.compactMap(Self.peakBytes).max() ?? 0
        await pool.shutdown()
        return sample
    }

    private static func unnamedFile() throws -> CInt {
        var path = Array("/tmp/darkroom-bench-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw BenchmarkError("mkstemp: \(String(cString: strerror(errno)))") }
        unlink(path)
        return descriptor
    }

    /// Of this process and of `processes`, from `/proc`.
    private static func cpuSeconds(of processes: [Int32]) -> Double {
        let ticks = ([getpid()] + processes).reduce(0) { sum, process in
            let text = contents("/proc/\(process)/stat")
            // Behind the name, which may hold anything, in proc(5)'s order: state is field 3.
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
                return sum
            }
            return sum + user + system
        }
        return Double(ticks) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    private static func peakBytes(of process: Int32) -> Int? {
        let line = contents("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    private static func contents(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
