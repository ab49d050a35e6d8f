import JobQueue
import Synchronization

/// What the last jobs found where they read, to tell an owner who said something wrong from a store that gives something else.
///
/// Owners now and then say something wrong. If many do at once, it is no coincidence.
final class MismatchRecord: Sendable {
    enum Judgement: Sendable, Equatable {
        /// The owner is at fault.
        case owner
        /// Nobody knows yet: another look later tells.
        case unknown
        /// The dependency is at fault.
        case dependency
    }

    private struct State {
        /// Of the last jobs: the owner if it was a mismatch, else nil.
        var found: [Dependency: [String?]] = [:]
        /// Jobs whose mismatch was seen before.
        var seen: Set<JobID> = []
    }

    private static let remembered = 32
    /// Owners with mismatches among them, at least.
    private static let fewestOwners = 3
    /// Among them, one in so many at least.
    private static let share = 4
    private static let mostSeen = 10_000
    private let state = Mutex(State())

    func noteMatch(at dependencies: Set<Dependency>) {
        state.withLock { state in
            for dependency in dependencies { Self.add(nil, at: dependency, &state) }
        }
    }

    func judge(_ mismatch: Mismatch, of job: JobID) -> Judgement {
        let dependency = mismatch.suspect.dependency
        return state.withLock { state in
            Self.add(mismatch.owner, at: dependency, &state)
            let owners = state.found[dependency, default: []].compactMap(\.self)
            if Set(owners).count >= Self.fewestOwners,
                owners.count * Self.share >= state.found[dependency, default: []].count
            {
                return .dependency
            }
            if state.seen.remove(job) != nil { return .owner }
            if state.seen.count >= Self.mostSeen { state.seen.removeAll() }
            state.seen.insert(job)
            return .unknown
        }
    }

    private static func add(_ owner: String?, at dependency: Dependency, _ state: inout State) {
        state.found[dependency, default: []].append(owner)
        if state.found[dependency, default: []].count > remembered { state.found[dependency]?.removeFirst() }
    }
}
