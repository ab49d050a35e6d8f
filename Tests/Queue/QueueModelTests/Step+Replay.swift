import JobQueue
import QueueModel

extension Step {
    /// The job that somebody else has locked meanwhile, or -1.
    var locked: Int {
        switch self {
        case .commitEnd(_, _, let locked), .commitReview(_, let locked, _), .signOff(_, let locked),
            .rescue(_, let locked):
            locked
        default: -1
        }
    }

    var view: ClaimView? {
        switch self {
        case .commitClaim(_, let view), .commitLate(_, let view): view
        default: nil
        }
    }
}

extension ModelState {
    /// Whether a worker registers at this step.
    func registers(at step: Step) -> Bool {
        if case .replyToHeartbeat(let process) = step {
            processes[process].heartbeat == .removed
        } else {
            false
        }
    }

    /// How the worker says that an attempt ended, if the step says so.
    func ending(at step: Step) -> Ending? {
        switch step {
        case .commitEnd(let process, let slot, _): processes[process].attempts[slot].ending
        case .commitLate(let index, _) where late[index].kind == .end: late[index].ending
        default: nil
        }
    }
}

extension Ending {
    var outcome: Outcome {
        let reason = Reason(code: "model", message: "A model.")
        return switch self {
        case .success: .succeeded
        case .retry: .retry(reason, delay: .seconds(3600))
        case .crash: .crashed(reason)
        case .returned: .returned(reason)
        case .cancelled: .cancelled(reason)
        }
    }
}
