/// Thrown by a job handler that knows why the attempt did not succeed.
package struct AttemptError: Error, CustomStringConvertible {
    package let failure: AttemptFailure
    package let underlying: (any Error)?

    package init(_ failure: AttemptFailure, underlying: (any Error)? = nil) {
        self.failure = failure
        self.underlying = underlying
    }

    /// The input is at fault; `message` is shown to the uploader.
    package static func rejected(_ code: String, _ message: String) -> AttemptError {
        AttemptError(.rejected(Reason(code: code, message: message)))
    }

    package var description: String {
        switch failure {
        case .rejected(let reason), .systemFault(let reason), .rendererDied(let reason),
            .machineShort(let reason),
            .notYet(let reason, _):
            reason.description
        case .mismatched(let mismatch): mismatch.rejection.description
        case .away(let absence): absence.description
        case .cancelled: "cancelled"
        case .deadline: "the attempt took too long"
        case .shutdown: "the worker is stopping"
        }
    }
}
