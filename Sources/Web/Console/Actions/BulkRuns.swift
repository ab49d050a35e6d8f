import JobQueue
import JobStore
import Synchronization

/// The bulk actions that run in this server.
final class BulkRuns: Sendable {
    private let tasks = Mutex<[Int64: Task<Void, Never>]>([:])

    /// Changes the jobs of a filter page by page, and records the progress.
    ///
    /// - Returns: the action's number in the record.
    func start(
        _ action: BulkAction, _ filter: JobFilter, _ record: OperatorAction, rate: Double?, _ store: JobStore
    ) async throws -> Int64 {
        let number = try await OperatorActions(store).begin(record)
        // Within the lock, so that a task that is quick does not end before it is known.
        tasks.withLock { tasks in
            tasks[number] = Task { [self] in
                await carryOut(action, filter, record, rate, store, number)
                _ = self.tasks.withLock { $0.removeValue(forKey: number) }
            }
        }
        return number
    }

    private func carryOut(
        _ action: BulkAction, _ filter: JobFilter, _ record: OperatorAction, _ rate: Double?,
        _ store: JobStore,
        _ number: Int64
    ) async {
        let actions = OperatorActions(store)
        var done = 0
        var fault: String?
        do {
            try await run(action, filter, record, Pace(perSecond: rate), store) {
                done += $0
                try await actions.advance(number, done: done)
            }
        } catch is CancellationError {
            fault = "stopped"
        } catch {
            fault = "\(error)"
        }
        // A cancelled task could not write its end.
        let (ended, why) = (done, fault)
        await Task { try? await actions.end(number, done: ended, fault: why) }.value
    }

    private func run(
        _ action: BulkAction, _ filter: JobFilter, _ record: OperatorAction, _ pace: Pace, _ store: JobStore,
        changed: (Int) async throws -> Void
    ) async throws {
        let next = action.pages(filter, store)
        var seen = 0
        while true {
            try Task.checkCancellation()
            let page = try await next(pace.pageSize(atMost: BulkAction.pageSize))
            guard !page.isEmpty else { return }
            let taken = try await action.apply(
                to: page.map(\.id), by: record.by, why: record.why, store)
            seen += page.count
            try await changed(taken.count)
            try await Task.sleep(until: pace.due(after: seen), clock: .continuous)
        }
    }

    func isRunning(_ number: Int64) -> Bool { tasks.withLock { $0[number] != nil } }

    /// Stops an action between two pages.
    func stop(_ number: Int64) { tasks.withLock { $0[number] }?.cancel() }

    func stop() async {
        let running = tasks.withLock { Array($0.values) }
        for task in running { task.cancel() }
        for task in running { await task.value }
    }
}
