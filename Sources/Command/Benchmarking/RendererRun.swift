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
    let recipe = Recipe.standard

    /// - Throws: ``BenchmarkError`` if a photo is rejected.
    func render(_ paths: [String]) async throws -> Figures {
        try await withPool { pool in
            let began = ContinuousClock.now
            let cpuBefore = Self.cpuSeconds(of: pool)
            try await withThrowingTaskGroup { group in
                for path in paths { group.addTask { try await render(path, with: pool) } }
                try await group.waitForAll()
            }
            var figures = Figures()
            figures.rate = Double(paths.count) / (ContinuousClock.now - began).inSeconds
            figures.cpu = (Self.cpuSeconds(of: pool) - cpuBefore) / Double(paths.count) * 1000
            figures.stages = pool.statistics.cpu
            figures.peakBytes =
                pool.statistics.processes.compactMap { ProcessFigures(process: $0).peakBytes }.max() ?? 0
            return figures
        }
    }

    /// Calls `body` with a pool whose renderers are ready and are never replaced.
    func withPool<T>(_ body: (RendererPool) async throws -> T) async throws -> T {
        // Replacing a renderer would lose its CPU time and its peak memory.
        var retirement = RendererPool.Retirement()
        retirement.photos = .max
        retirement.growthBytes = .max
        let pool = RendererPool(executable: executable, size: size, retirement: retirement)
        let result: Result<T, any Error>
        do {
            repeat { _ = try await pool.prove() } while pool.statistics.processes.count < size
            result = .success(try await body(pool))
        } catch {
            result = .failure(error)
        }
        await pool.shutdown()
        return try result.get()
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

    private static func cpuSeconds(of pool: RendererPool) -> Double {
        ([getpid()] + pool.statistics.processes).reduce(0) { $0 + ProcessFigures(process: $1).cpuSeconds }
    }
}
