/// Where a job is. Raw values are those of the type `darkroom.job_state`.
///
/// ```
///            enqueue                claim                 succeed, reject, fail
///   (new) ───────────▶ waiting ───────────────▶ running ─────────────────────▶ finished
///     │                 ▲   ▲                    │  │                             │
///     │ enqueue later   │   └── return, crash ───┘  │ retry, snooze               │
///     └──────────▶ scheduled ◀──────────────────────┘                             │
///                    due │                                                        │
///                        └─▶ waiting ◀────────────────── replay ──────────────────┘
/// ```
package enum JobState: String, CaseIterable, Sendable {
    /// Ready to be claimed.
    case waiting
    /// Waits for its time: enqueued for later, backing off or snoozed.
    case scheduled
    /// Held by a worker under a lease.
    case running
    /// Done.
    case succeeded
    /// The input is at fault; final, with a reason that the uploader can be shown.
    case rejected
    /// The system or an unknown is at fault and the attempts are used up; an operator can replay it.
    case failed
    /// Withdrawn on request.
    case cancelled

    package var isFinished: Bool {
        switch self {
        case .waiting, .scheduled, .running: false
        case .succeeded, .rejected, .failed, .cancelled: true
        }
    }
}

/// What can happen to a job.
package enum JobEvent: String, CaseIterable, Sendable {
    case claim
    case becomeDue
    case succeed
    case reject
    case retry
    case snooze
    case fail
    /// Asked for by a person or the API.
    case cancel
    /// The worker gives the job back unfinished, at shutdown.
    case handBack
    /// The worker or its renderer died, with tries left.
    case crash
    case replay
}

extension JobState {
    /// The state after `event`, or nil where the event cannot happen in this state.
    ///
    /// A running job is cancelled by its own worker, so cancelling one is the end of its attempt.
    package func after(_ event: JobEvent) -> JobState? {
        switch (self, event) {
        case (.waiting, .claim): .running
        case (.scheduled, .becomeDue): .waiting
        case (.waiting, .cancel), (.scheduled, .cancel), (.running, .cancel): .cancelled
        case (.running, .succeed): .succeeded
        case (.running, .reject): .rejected
        case (.running, .fail): .failed
        case (.running, .retry), (.running, .snooze): .scheduled
        case (.running, .handBack), (.running, .crash): .waiting
        case (.rejected, .replay), (.failed, .replay), (.cancelled, .replay): .waiting
        default: nil
        }
    }
}
