import Synchronization

/// The trials that wait for a server, and the results of those that are over.
final class TrialTurns: Sendable {
    struct Turn: Sendable {
        let trial: GapTrial
        fileprivate(set) var repeats = 0
    }

    /// A trial is run again so many times if the harness was late.
    private static let repeats = 3

    private let state: Mutex<(waiting: [Turn], results: [GapResult])>

    /// - Parameter trials: the last one comes first.
    init(_ trials: [GapTrial]) {
        state = Mutex((trials.map { Turn(trial: $0) }, []))
    }

    func next() -> Turn? { state.withLock { $0.waiting.popLast() } }

    /// Keeps a result, or lets the trial wait for another turn if the harness was late.
    ///
    /// - Returns: how many trials are over.
    func note(_ result: GapResult, of turn: Turn) -> Int {
        state.withLock { state in
            if result.isVoid, turn.repeats < Self.repeats {
                state.waiting.append(Turn(trial: turn.trial, repeats: turn.repeats + 1))
            } else {
                var result = result
                result.repeats = turn.repeats
                state.results.append(result)
            }
            return state.results.count
        }
    }

    var results: [GapResult] { state.withLock(\.results) }
}
