import MediaStore
import Postgres

/// Why a call failed.
public struct DarkroomError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// A detail is out of range, or an idempotency key was already used for another photo.
        case invalidUpload
        /// An argument is out of range (`constraint` says which), or a cursor belongs to another feed.
        case invalidArgument
        /// There is no such post, comment or event, or it is no longer visible.
        case notFound
        /// Another person or activity has the name, or an appeal is already open: `constraint` says which.
        case conflict
        /// The state of the post, or the number of activities that the login has, does not allow it.
        case notPossible
        /// The login's role does not allow the call.
        case notPermitted
        /// The photo cannot be read, or the media store cannot be written.
        case media
        /// The database cannot be reached, is of an older or a later release, or failed.
        case database
    }

    public let code: Code
    /// What is wrong and what to do.
    public let message: String
    /// The database constraint that an argument violates, such as `remark_is_at_most_2000_characters`.
    public let constraint: String?
    public let underlying: any Error

    public var description: String { message }
}

extension DarkroomError {
    /// - Parameter isUpload: whether the caller's values are an upload's details.
    init(_ error: any Error, isUpload: Bool = false) {
        // The database is asked which store is the right one.
        let error = (error as? MediaError)?.cause?.error ?? error
        let code: Code
        var constraint: String?
        switch error {
        case let error as PostgresError:
            let known = Code(error)
            code = isUpload && [.invalidArgument, .conflict].contains(known) ? .invalidUpload : known
            constraint = error.constraint
        case is MediaError: code = .media
        default: code = .database
        }
        self.init(code: code, message: "\(error)", constraint: constraint, underlying: error)
    }
}

extension DarkroomError {
    /// For what this library refuses before it asks anyone.
    init(invalid message: String) {
        struct Refused: Error {}
        self.init(code: .invalidArgument, message: message, constraint: nil, underlying: Refused())
    }
}

extension Error {
    /// Whether it says that the present task was cancelled.
    var isCancellation: Bool {
        if self is CancellationError { return true }
        guard let error = self as? MediaError else { return false }
        // The store's threads leave a call of theirs alone once the task is cancelled.
        return error.cause?.error is CancellationError || error.code == .noResponse && Task.isCancelled
    }
}

extension DarkroomError.Code {
    /// The code for an SQLSTATE (PostgreSQL documentation, appendix A).
    fileprivate init(_ error: PostgresError) {
        guard let state = error.sqlState else {
            self = error.code == .encoding ? .invalidArgument : .database
            return
        }
        switch (state, state.conditionClass) {
        // no_data_found, object_not_in_prerequisite_state, configuration_limit_exceeded
        case ("P0002", _): self = .notFound
        case ("55000", _), ("53400", _): self = .notPossible
        case (.insufficientPrivilege, _): self = .notPermitted
        case (.uniqueViolation, _): self = .conflict
        // Data exceptions and violated constraints: the caller's values.
        case (_, "22"), (_, "23"): self = .invalidArgument
        default: self = .database
        }
    }
}
