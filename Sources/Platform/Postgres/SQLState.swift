/// A five-character SQLSTATE, as PostgreSQL reports it with every error.
///
/// Match these, never message texts: messages are translated and change between versions.
/// Source: PostgreSQL documentation, appendix A.
package struct SQLState: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    package let code: String

    package init(_ code: String) { self.code = code }
    package init(stringLiteral code: String) { self.code = code }

    /// The first two characters, which group related conditions.
    package var conditionClass: Substring { code.prefix(2) }
    package var description: String { code }
}

extension SQLState {
    package static let featureNotSupported: SQLState = "0A000"
    package static let invalidParameterValue: SQLState = "22023"
    package static let uniqueViolation: SQLState = "23505"
    package static let checkViolation: SQLState = "23514"
    package static let readOnlyTransaction: SQLState = "25006"
    package static let idleInTransactionTimeout: SQLState = "25P03"
    package static let transactionTimeout: SQLState = "25P04"
    package static let noSuchStatement: SQLState = "26000"
    package static let invalidAuthorization: SQLState = "28000"
    package static let invalidPassword: SQLState = "28P01"
    package static let undefinedDatabase: SQLState = "3D000"
    package static let undefinedSchema: SQLState = "3F000"
    package static let serializationFailure: SQLState = "40001"
    package static let deadlockDetected: SQLState = "40P01"
    package static let insufficientPrivilege: SQLState = "42501"
    package static let undefinedColumn: SQLState = "42703"
    package static let undefinedObject: SQLState = "42704"
    package static let undefinedFunction: SQLState = "42883"
    package static let undefinedTable: SQLState = "42P01"
    package static let diskFull: SQLState = "53100"
    package static let tooManyConnections: SQLState = "53300"
    package static let lockNotAvailable: SQLState = "55P03"
    package static let queryCanceled: SQLState = "57014"
    package static let cannotConnectNow: SQLState = "57P03"
}
