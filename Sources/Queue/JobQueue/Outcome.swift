/// Why an attempt did not succeed: a code for programs and a sentence for people.
package struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// Lower-case words joined by underscores, stable across releases.
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code): \(message)" }
}

/// How an attempt ended.
package enum Outcome: Hashable, Sendable {
    case succeeded
    /// The input is at fault: final.
    case rejected(Reason)
    /// The system is at fault; the job is tried again after `delay`.
    case retry(Reason, delay: Duration)
    /// The job cannot run yet; it is tried again after `delay`, without counting a failure.
    case snoozed(Reason, delay: Duration)
    /// The system is at fault, and all tries are used up.
    case failed(Reason)
    case cancelled(Reason)
    /// The renderer died; the job is tried again at once. Crashes are counted separately from failures.
    case crashed(Reason)
    /// The renderer died because the machine had too little for it: the job is tried again after `delay`, and no crash is
    /// counted.
    case killed(Reason, delay: Duration)
    /// Returned unfinished, because the worker stops.
    case returned(Reason)

    package var event: JobEvent {
        switch self {
        case .succeeded: .succeed
        case .rejected: .reject
        case .retry: .retry
        case .snoozed: .snooze
        case .failed: .fail
        case .cancelled: .cancel
        case .crashed, .killed: .crash
        case .returned: .handBack
        }
    }

    /// The values of `darkroom.attempt_outcome`.
    private enum Name: String, CaseIterable {
        case succeeded, rejected, retry, snoozed, failed, cancelled, crashed, returned
    }

    package static let names = Name.allCases.map(\.rawValue)

    package var name: String {
        let name: Name =
            switch self {
            case .succeeded: .succeeded
            case .rejected: .rejected
            case .retry: .retry
            case .snoozed: .snoozed
            case .failed: .failed
            case .cancelled: .cancelled
            case .crashed, .killed: .crashed
            case .returned: .returned
            }
        return name.rawValue
    }

    package var reason: Reason? {
        switch self {
        case .succeeded: nil
        case .rejected(let reason), .retry(let reason, _), .snoozed(let reason, _), .failed(let reason),
            .cancelled(let reason), .crashed(let reason), .killed(let reason, _), .returned(let reason):
            reason
        }
    }
}

/// Why an attempt did not succeed, before the retry policy decides what follows.
package enum AttemptFailure: Sendable {
    case rejected(Reason)
    /// What was read for the job is not what its owner said.
    case mismatched(Mismatch)
    case systemFault(Reason)
    case rendererDied(Reason)
    /// The machine had too little memory or processor time for the renderer, or something else outside killed it.
    case machineShort(Reason)
    case notYet(Reason, delay: Duration)
    /// Something that the job needs is away. The worker claims no such jobs until it is back.
    case away(Absence)
    case cancelled
    /// The attempt took longer than its policy allows.
    case deadline
    case shutdown
}
