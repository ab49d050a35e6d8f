import Glibc
import Imaging
import JobStore

/// Renders photos with the coordinator and its sandboxed renderers, without the queue and the stores.
struct RendererRun: Sendable {
    struct Figures: Sendable {
        /// Photos per second.
        var rate = 0.0
        /// Milliseconds per photo, of coordinator and renderers.
        var cpu = 0.0
        /// The peak of the largest renderer.
        var peakBytes = 0
        /// The sum over all photos.
        var stages = StageTimes()
    }

    let executable: String
    /// Renderers at once.
    let size: Int
    var isolation = RendererPool.Isolation.photo
    var recipe = Recipe.standard

    /// - Throws: ``BenchmarkError`` if a photo is rejected.
    func render(_ paths: [String]) async throws -> Figures {
        var figures = Figures()
        var cpuBefore = 0.0
        let statistics = try await withPool { pool in
            let began = ContinuousClock.now
            cpuBefore = Self.cpuSeconds(pool.statistics)
            try await withThrowingTaskGroup { group in
                for path in paths { group.addTask { try await render(path, with: pool) } }
                try await group.waitForAll()
            }
            figures.rate = Double(paths.count) / (ContinuousClock.now - began).inSeconds
        }
        figures.cpu = (Self.cpuSeconds(statistics) - cpuBefore) / Double(paths.count) * 1000
        figures.stages = statistics.cpu
        figures.peakBytes = statistics.peakBytes
        return figures
    }

    /// Calls `body` with a pool whose renderers are ready. Returns its statistics after all processes have ended.
    func withPool(_ body: (RendererPool) async throws -> Void) async throws -> RendererPool.Statistics {
        var retirement = RendererPool.Retirement(isolation)
        if isolation == .pool { retirement.photos = .max }
        retirement.growthBytes = .max
        let pool = RendererPool(executable: executable, size: size, retirement: retirement)
        let result: Result<Void, any Error>
        do {
            repeat { _ = try await pool.prove() } while pool.statistics.processes.count < size
            result = .success(try await body(pool))
        } catch {
            result = .failure(error)
        }
        await pool.shutdown()
        try result.get()
        return pool.statistics
    }

    func render(_ path: String, with pool: RendererPool) async throws {
        let input = open(path, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(input) }
        let outputs = try recipe.renditions.map { _ in try Self.unnamedFile() }
        defer { for descriptor in outputs { close(descriptor) } }
        let verdict = try await pool.render(input: input, outputs: outputs, recipe: recipe)
        guard case .accepted = verdict else { throw BenchmarkError("\(path): \(verdict)") }
    }

    private static func unnamedFile() throws -> CInt {
        var path = Array("/tmp/darkroom-bench-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw BenchmarkError("mkstemp: \(String(cString: strerror(errno)))") }
        unlink(path)
        return descriptor
    }

    /// Of this process, and of all renderers and zygotes that live or have ended.
    private static func cpuSeconds(_ statistics: RendererPool.Statistics) -> Double {
        let living = [getpid()] + statistics.processes + statistics.zygotes
        return living.reduce(ProcessFigures.endedCPUSeconds) { $0 + ProcessFigures(process: $1).cpuSeconds }
    }
}
