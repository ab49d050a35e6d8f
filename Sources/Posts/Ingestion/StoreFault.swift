import JobQueue
import MediaStore

extension AttemptError {
    /// The error of an attempt that the media store has failed: the store is at fault, never the photo. If the database
    /// could not say which store is the right one, that is the database's fault.
    static func storeFault(_ error: MediaError, _ what: String = "") -> any Error {
        error.cause?.error
            ?? AttemptError(
                .systemFault(Reason(code: "storage_unavailable", message: "\(what)\(error)")),
                underlying: error)
    }
}
