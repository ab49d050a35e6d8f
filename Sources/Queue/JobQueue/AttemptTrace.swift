import Synchronization

/// A part of an attempt and how long it took.
package struct StageTime: Hashable, Sendable {
    /// A verb or noun in lower case, such as `render`.
    package let stage: String
    package let duration: Duration

    package init(stage: String, duration: Duration) {
        self.stage = stage
        self.duration = duration
    }
}

/// What happened in an attempt: its stages with their durations, and the renderer's verdict.
///
/// The handler writes it. The worker shows the stage while the attempt runs, and stores the trace in history.
package final class AttemptTrace: Sendable {
    private struct State {
        var stage: String?
        var dependency: Dependency?
        var since = ContinuousClock.now
        var stages: [StageTime] = []
        var verdict: String?
        var match: Dependency?
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends the current stage and begins `stage`.
    ///
    /// - Parameter dependency: what takes most of its time. If the attempt's deadline comes meanwhile, that is its fault.
    package func enter(_ stage: String, waitingFor dependency: Dependency? = nil) {
        state.withLock { state in
            let now = ContinuousClock.now
            if let ended = state.stage {
                state.stages.append(StageTime(stage: ended, duration: now - state.since))
            }
            state.stage = stage
            state.dependency = dependency
            state.since = now
        }
    }

    /// Records the renderer's verdict on the photo, in a few words.
    package func note(verdict: String) {
        state.withLock { $0.verdict = verdict }
    }

    /// Records that what was read at `dependency` is what the job's owner said. See ``Mismatch``.
    package func note(matchAt dependency: Dependency) {
        state.withLock { $0.match = dependency }
    }

    package var match: Dependency? { state.withLock(\.match) }

    package var stage: String? { state.withLock(\.stage) }

    /// What the current stage waits for.
    package var dependency: Dependency? { state.withLock(\.dependency) }

    package var verdict: String? { state.withLock(\.verdict) }

    /// The stages so far, including the current one up to now.
    package var stages: [StageTime] {
        state.withLock { state in
            guard let stage = state.stage else { return state.stages }
            return state.stages + [StageTime(stage: stage, duration: ContinuousClock.now - state.since)]
        }
    }
}
