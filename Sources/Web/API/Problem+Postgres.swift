import Postgres

extension Problem {
    /// What an error of the database means for the client. Nothing of the statement, the rows or the server gets out.
    ///
    /// The texts of conditions that our own functions raise are for the client; those of PostgreSQL itself are not.
    init(_ error: PostgresError) {
        guard let state = error.sqlState else {
            self =
                error.code == .encoding
                ? Problem(.invalidArgument, "A text has a NUL character: leave it out.")
                : error.code == .decoding
                    ? Problem(.internal, "The server could not read what the database returned.")
                    : Self.away
            return
        }
        self =
            switch Code(state) {
            case .invalidArgument where state == .invalidParameterValue:
                Problem(
                    .invalidArgument, Self.text(error, else: "A value is not valid."),
                    reason: error.constraint)
            case .invalidArgument where Self.quotas.contains(error.constraint ?? ""):
                Self.beyondQuota(
                    error.message, reason: error.constraint, retryAfter: error.detail.flatMap { Int($0) })
            case .invalidArgument where state.conditionClass == "23": Self.broken(error)
            case .invalidArgument where ["22003", "22008"].contains(state):
                Problem(.invalidArgument, "A number or a time is out of range.")
            case .invalidArgument:
                Problem(.invalidArgument, "A value does not have the form that it must have.")
            case .conflict:
                Problem(
                    .conflict, Self.text(error, else: Self.rule(error) ?? "It exists already."),
                    reason: error.constraint)
            case .notFound: Problem(.notFound, Self.text(error, else: "There is no such thing."))
            case .notPossible:
                Problem(
                    .notPossible, Self.text(error, else: "This is not possible now."),
                    reason: error.constraint)
            case .notPermitted:
                Problem(
                    .notPermitted, Self.text(error, else: "This is not permitted."), reason: error.constraint)
            case .unavailable: Self.away
            default: Problem(.internal, "The database has a fault; it is in the server's log.")
            }
    }

    static let away = Problem(
        .unavailable, "The database does not respond now. Send the request again later.", retryAfter: 2)

    /// The reasons of `darkroom.quota_objections`.
    static let quotas: Set = ["too_many_photos_today", "too_many_bytes_today"]

    /// - Parameter retryAfter: nil if waiting does not help, since the upload by itself is more than the quota.
    static func beyondQuota(_ message: String, reason: String?, retryAfter: Int?) -> Problem {
        Problem(
            retryAfter == nil ? .tooLarge : .tooManyRequests, message, reason: reason, retryAfter: retryAfter)
    }

    /// A constraint's name says the rule.
    private static func broken(_ error: PostgresError) -> Problem {
        Problem(
            .invalidArgument, rule(error) ?? "A value does not fit the others.", argument: error.column,
            reason: error.constraint)
    }

    private static func rule(_ error: PostgresError) -> String? {
        error.constraint.map { "The rule is: \($0.replacing("_", with: " "))." }
    }

    /// - Parameter other: for a text of PostgreSQL itself, which may name tables and functions.
    private static func text(_ error: PostgresError, else other: String) -> String {
        guard error.isRaised else { return other }
        var text = error.message
        if let first = text.first { text = first.uppercased() + text.dropFirst() }
        if !text.hasSuffix(".") { text += "." }
        if let hint = error.hint { text += " \(hint)" }
        return text
    }
}

extension Problem.Code {
    /// What a condition of the database is for the client.
    init(_ state: SQLState) {
        self =
            switch (state, state.conditionClass) {
            case (.uniqueViolation, _): .conflict
            case (_, "22"), (_, "23"): .invalidArgument
            case ("P0002", _): .notFound
            case ("55000", _), ("53400", _): .notPossible
            case (.insufficientPrivilege, _): .notPermitted
            case (_, "08"), (_, "53"), (_, "57"), (_, "40"), ("55P03", _), ("25006", _): .unavailable
            default: .internal
            }
    }
}
