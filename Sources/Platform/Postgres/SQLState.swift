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
    package static let connectionFailure: SQLState = "08006"
    package static let invalidTextRepresentation: SQLState = "22P02"
    package static let invalidParameterValue: SQLState = "22023"
    package static let numericValueOutOfRange: SQLState = "22003"
    package static let notNullViolation: SQLState = "23502"
    package static let foreignKeyViolation: SQLState = "23503"
    package static let uniqueViolation: SQLState = "23505"
    package static let checkViolation: SQLState = "23514"
    package static let exclusionViolation: SQLState = "23P01"
    package static let activeTransaction: SQLState = "25001"
    package static let readOnlyTransaction: SQLState = "25006"
    package static let inFailedTransaction: SQLState = "25P02"
    package static let invalidPassword: SQLState = "28P01"
    package static let invalidAuthorization: SQLState = "28000"
    package static let invalidCatalogName: SQLState = "3D000"
    package static let serializationFailure: SQLState = "40001"
    package static let deadlockDetected: SQLState = "40P01"
    package static let syntaxError: SQLState = "42601"
    package static let insufficientPrivilege: SQLState = "42501"
    package static let undefinedColumn: SQLState = "42703"
    package static let undefinedFunction: SQLState = "42883"
    package static let undefinedTable: SQLState = "42P01"
    package static let undefinedSchema: SQLState = "3F000"
    package static let duplicateDatabase: SQLState = "42P04"
    package static let duplicateTable: SQLState = "42P07"
    package static let duplicateObject: SQLState = "42710"
    package static let diskFull: SQLState = "53100"
    package static let tooManyConnections: SQLState = "53300"
    package static let objectInUse: SQLState = "55006"
    package static let lockNotAvailable: SQLState = "55P03"
    package static let queryCanceled: SQLState = "57014"
    package static let adminShutdown: SQLState = "57P01"
    package static let crashShutdown: SQLState = "57P02"
    package static let cannotConnectNow: SQLState = "57P03"
    package static let raiseException: SQLState = "P0001"
}
