import JobQueue
import JobStore
import Postgres
import Telemetry

extension ClaimLoop {
    /// Logs which jobs a drained worker leaves in the database: jobs of queues and kinds that it does not serve, jobs
    /// scheduled for later, and paused ones.
    ///
    /// It warns of jobs in its queues that could run but have no handler here: anyone who waits for the drain may believe
    /// that they are done.
    func noteWhatIsLeft() async {
        do {
            let left = try await ask(within: .seconds(30)) { [store] in try await store.depths() }
            let served = Set(configuration.queues.map(\.name))
            let misses = left.contains {
                served.contains($0.queue) && !kinds.contains($0.kind) && $0.state == .waiting
            }
            log.write(misses ? .warning : .info, "worker.drained") {
                [
                    "left": .init(left.reduce(0) { $0 + $1.count }),
                    "left_by_kind": .init(
                        left.map { "\($0.queue)/\($0.kind.rawValue)/\($0.state.rawValue)=\($0.count)" }
                            .joined(separator: ",")),
                ]
            }
        } catch {
            log.warning("worker.left_not_counted", ["error": .init("\(error)")])
        }
    }
}
