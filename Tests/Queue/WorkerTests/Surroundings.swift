import JobQueue
import Synchronization
import Worker

/// Something that a test takes away and gives back.
final class Surroundings: Sendable {
    private let state = Mutex<(away: Absence?, hangs: Bool, probes: Int)>((nil, false, 0))

    static let disk = Dependency("disk")
    static let network = Dependency("network")

    static func absence(_ dependency: Dependency, _ code: String = "gone") -> Absence {
        Absence(of: dependency, Reason(code: code, message: "It is gone."))
    }

    func take(_ absence: Absence) { state.withLock { $0.away = absence } }
    func hang() { state.withLock { $0.hangs = true } }
    func giveBack() { state.withLock { ($0.away, $0.hangs) = (nil, false) } }

    var probes: Int { state.withLock(\.probes) }

    func use() throws {
        if let away = state.withLock(\.away) { throw away }
    }

    /// A busy machine may take seconds for a probe, so only a test of the limit sets a short one.
    func probe(
        _ dependency: Dependency, every interval: Duration? = nil, limit: Duration = .seconds(120)
    ) -> Probe {
        Probe(of: dependency, every: interval, limit: limit) { [self] _ in
            let hangs = state.withLock { state in
                state.probes += 1
                return state.hangs
            }
            if hangs { try await Task.sleep(for: .seconds(86_400)) }
            try use()
        }
    }
}
