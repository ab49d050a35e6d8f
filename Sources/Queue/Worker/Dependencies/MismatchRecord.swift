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
        /// Of the last jobs: the owner if it was a mismatch, else nil. An owner is there once.
        var found: [Dependency: [String?]] = [:]
        /// How many jobs found what their owners had said.
        var matches: [Dependency: Int] = [:]
        /// Jobs with a mismatch, with ``matches`` at their first look.
        var seen: [JobID: Int] = [:]
    }

    private static let remembered = 32
    /// Owners with mismatches among them, at least.
    private static let fewestOwners = 3
    /// Among them, one in so many at least.
    private static let share = 4
    /// After so many matches since its first look, a mismatch is not believed to be one of a row.
    private static let enoughMatches = 4
    private static let mostSeen = 10_000
    private let state = Mutex(State())

    func noteMatch(at dependency: Dependency) {
        state.withLock { state in
            state.matches[dependency, default: 0] += 1
            Self.add(nil, at: dependency, &state)
        }
    }

    func judge(_ mismatch: Mismatch, of job: JobID) -> Judgement {
        let dependency = mismatch.suspect.dependency
        return state.withLock { state in
            Self.add(mismatch.owner, at: dependency, &state)
            let found = state.found[dependency, default: []]
            let owners = found.count { $0 != nil }
            let isShare = owners >= Self.fewestOwners && owners * Self.share >= found.count
            let isRow = found.suffix(Self.fewestOwners).count { $0 != nil } == Self.fewestOwners
            let matches = state.matches[dependency, default: 0]
            let first = state.seen[job]
            let isOutlier = first.map { matches - $0 >= Self.enoughMatches } ?? false
            if !isShare, first != nil, isOutlier || !isRow {
                state.seen[job] = nil
                return .owner
            }
            if state.seen.count >= Self.mostSeen { state.seen.removeAll() }
            state.seen[job] = first ?? matches
            return isShare || isRow ? .dependency : .unknown
        }
    }

    private static func add(_ owner: String?, at dependency: Dependency, _ state: inout State) {
        if let owner { state.found[dependency, default: []].removeAll { $0 == owner } }
        state.found[dependency, default: []].append(owner)
        if state.found[dependency, default: []].count > remembered { state.found[dependency]?.removeFirst() }
    }
}
