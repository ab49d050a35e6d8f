import Glibc
import Synchronization

/// The workers of a storm. One that ends is started again, as a service manager does.
final class StormFleet: Sendable {
    struct Options: Sendable {
        var workers: Int
        var renderers: Int
        /// The first so many workers are never killed, stopped or frozen as a whole.
        var spared: Int
        var logs: String
    }

    private struct State {
        /// By place in the fleet; nil while it is being started again.
        var workers: [TrialWorker?]
        var starts = 0
        var isStopping = false
    }

    private static let pause = Duration.milliseconds(200)
    private let site: StormSite
    private let options: Options
    private let state: Mutex<State>

    /// Calls `body` with a fleet.
    ///
    /// - Returns: what `body` returns, and how many workers did not end by themselves when they were asked to.
    static func with<T>(
        _ site: StormSite, _ options: Options, _ body: (StormFleet) async throws -> T
    ) async throws -> (T, unstopped: Int) {
        let fleet = StormFleet(site, options)
        let keeping = Task {
            await withTaskGroup { group in
                for place in 0..<options.workers { group.addTask { await fleet.keep(place) } }
            }
        }
        let result: Result<T, any Error>
        do {
            result = .success(try await body(fleet))
        } catch {
            result = .failure(error)
        }
        // In a separate task, so that an interrupted storm also ends them.
        let unstopped = await Task { await fleet.end() }.value
        await keeping.value
        return (try result.get(), unstopped)
    }

    private init(_ site: StormSite, _ options: Options) {
        self.site = site
        self.options = options
        state = Mutex(State(workers: Array(repeating: nil, count: options.workers)))
    }

    var starts: Int { state.withLock(\.starts) }

    /// The workers that run now.
    var workers: [TrialWorker] { state.withLock { $0.workers.compactMap(\.self) } }

    /// Those that may be killed, stopped or frozen as a whole.
    var victims: [TrialWorker] { state.withLock { $0.workers.dropFirst(options.spared).compactMap(\.self) } }

    /// The processes below the workers.
    var renderers: [Int32] { workers.flatMap { ProcessTree.descendants(of: $0.process) } }

    private func keep(_ place: Int) async {
        let command = site.command(
            [
                "work", "--renderers", "\(options.renderers)", "--concurrency", "\(3 * options.renderers)",
                "--log-format", "json", "--http", "127.0.0.1:0",
            ])
        while true {
            let worker: TrialWorker? = state.withLock { state in
                guard !state.isStopping else { return nil }
                // Under the lock, so that no worker starts after the end has been asked for.
                let worker = try? TrialWorker(
                    command, log: "\(options.logs)/worker\(place).log", appends: true)
                state.workers[place] = worker
                state.starts += 1
                return worker
            }
            if let worker {
                await worker.awaitEnd()
                state.withLock { $0.workers[place] = nil }
            }
            if state.withLock(\.isStopping) { return }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func end() async -> Int {
        let workers = state.withLock { state in
            state.isStopping = true
            return state.workers.compactMap(\.self)
        }
        return await withTaskGroup { group in
            for worker in workers { group.addTask { await worker.end(within: .seconds(60)) } }
            return await group.reduce(0) { $0 + ($1 ? 0 : 1) }
        }
    }
}
