/// The state of a job. Raw values are those of the type `darkroom.job_state`.
///
/// ```
///             enqueue               claim                   succeed, reject, fail, cancel
///   (new) ──────┬──────▶ waiting ─────────────▶ running ───────────────────────────────▶ finished
///               │         ▲ ▲ │ ▲                │  │                                       │
///               │ resume, │ │ │ └─ hand back, ───┘  │ retry, snooze                         │
///               │ unpark  │ │ │    crash            │                                       │
///               │         │ │ └─ park ─┐            │                                       │
///   under drain ├──▶ parked◀┼──────────┤            │                                       │
///               │           │ become   │ pace       │                                       │
///               │           │ due      ▼            │                                       │
///   for later   └──▶ scheduled ◀────────────────────┘                                       │
///                           ▲ replay: waiting ◀──────── rejected, failed, cancelled ────────┘
/// ```
///
/// Waiting, scheduled and parked jobs can be cancelled as well.
package enum JobState: String, CaseIterable, Sendable {
    /// Ready to be claimed.
    case waiting
    /// Waits for a set time: enqueued for later, backing off or snoozed.
    case scheduled
    /// Held back: its fair key is at its limit, or its queue is being drained.
    case parked
    /// Held by a worker under a lease.
    case running
    case succeeded
    /// The input is at fault; final, with a reason to show to the uploader.
    case rejected
    /// The system or something unknown is at fault, and all attempts are used up; an operator can replay it.
    case failed
    case cancelled

    package var isFinished: Bool {
        switch self {
        case .waiting, .scheduled, .parked, .running: false
        case .succeeded, .rejected, .failed, .cancelled: true
        }
    }

    /// Those in which a job has ended and can be replayed.
    package static let unsuccessful = allCases.filter { $0.isFinished && $0 != .succeeded }
}

/// What can happen to a job.
package enum JobEvent: String, CaseIterable, Sendable {
    case claim
    case becomeDue
    /// Its fair key has reached its limit of running jobs.
    case park
    /// Its fair key is below its limit again, or the drain is over.
    case unpark
    /// Its fair key has reached its rate limit: the job is scheduled for later.
    case pace
    case succeed
    case reject
    case retry
    case snooze
    case fail
    /// Requested by a person or the API.
    case cancel
    /// The worker returns the job unfinished, at shutdown.
    case handBack
    /// The worker or its renderer died, with tries left.
    case crash
    case replay
}

extension JobState {
    /// The state after `event`, or nil if the event cannot happen in this state.
    ///
    /// Its own worker cancels a running job, so cancelling it ends its attempt.
    package func after(_ event: JobEvent) -> JobState? {
        switch (self, event) {
        case (.waiting, .claim): .running
        case (.waiting, .park): .parked
        case (.waiting, .pace): .scheduled
        case (.scheduled, .becomeDue), (.parked, .unpark): .waiting
        case (.waiting, .cancel), (.scheduled, .cancel), (.parked, .cancel), (.running, .cancel): .cancelled
        case (.running, .succeed): .succeeded
        case (.running, .reject): .rejected
        case (.running, .fail): .failed
        case (.running, .retry), (.running, .snooze): .scheduled
        case (.running, .handBack), (.running, .crash): .waiting
        case (_, .replay) where Self.unsuccessful.contains(self): .waiting
        default: nil
        }
    }
}
