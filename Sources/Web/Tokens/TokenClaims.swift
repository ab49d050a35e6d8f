import FoundationEssentials

/// The second part of a token (RFC 7519, section 4), once its signature is verified.
struct TokenClaims: Hashable, Sendable {
    let person: String
    let displayName: String?
    let since: Date?
    let scopes: Set<String>
    /// The first moment at which the token is not accepted, in seconds since 1970, with the leeway.
    let end: Double
    /// The first moment at which the token is accepted, in seconds since 1970, with the leeway.
    let start: Double?

    /// Reads the claims and checks those that do not depend on the time.
    init(_ bytes: [UInt8], rules: TokenRules) throws(TokenError) {
        let json = try StrictJSON(bytes, part: "payload")
        guard let expiry = try json.seconds("exp") else {
            throw TokenError(.claim, "The token has no \"exp\": it would be valid forever.")
        }
        end = expiry + rules.leeway
        start = try json.seconds("nbf").map { $0 - rules.leeway }
        try Self.checkIssuer(json, rules)
        try Self.checkAudience(json, rules)
        guard let person = try json.text(rules.personClaim, part: "payload") else {
            throw TokenError(.claim, "The token has no \"\(rules.personClaim)\", which names the person.")
        }
        guard person.isPerson else {
            throw TokenError(
                .person, "The token's person is not 1 to 200 characters without control characters.")
        }
        self.person = person
        // A name that cannot be shown keeps nobody out.
        displayName = try rules.nameClaim.flatMap { name throws(TokenError) in
            try json.text(name, part: "payload")
        }.flatMap { $0.isDisplayName ? $0 : nil }
        since = try rules.sinceClaim.flatMap { name throws(TokenError) in
            try json.seconds(name)
        }.map { Date(timeIntervalSince1970: $0) }
        scopes =
            try rules.scopeClaim.map { name throws(TokenError) in
                try Self.scopes(json, name)
            } ?? []
    }

    /// Throws unless the token is valid at this moment.
    func check(at now: Date) throws(TokenError) {
        let now = now.timeIntervalSince1970
        guard now < end else { throw TokenError(.expired, "The token has expired; sign in again.") }
        guard start.map({ now >= $0 }) ?? true else {
            throw TokenError(.notYetValid, "The token is not valid yet.")
        }
    }

    private static func checkIssuer(_ json: StrictJSON, _ rules: TokenRules) throws(TokenError) {
        guard let issuer = rules.issuer else { return }
        guard let named = try json.text("iss", part: "payload"), named.hasSameBytes(as: issuer) else {
            throw TokenError(.issuer, "The token is from another issuer.")
        }
    }

    private static func checkAudience(_ json: StrictJSON, _ rules: TokenRules) throws(TokenError) {
        guard !rules.audiences.isEmpty else { return }
        let named: [StrictJSON] =
            switch json["aud"] {
            case .array(let values)?: values
            case let value?: [value]
            case nil: []
            }
        let isOurs = named.contains { value in
            guard let text = value.string else { return false }
            return rules.audiences.contains { $0.hasSameBytes(as: text) }
        }
        guard isOurs else { throw TokenError(.audience, "The token is for another audience.") }
    }

    /// Words that are not printable ASCII are left out: no permission of ours has such a name.
    private static func scopes(_ json: StrictJSON, _ name: String) throws(TokenError) -> Set<String> {
        var words: [String] = []
        switch json[name] {
        case nil: return []
        case .string(let text)?: words = text.split(separator: " ").map(String.init)
        case .array(let values)?: words = values.compactMap(\.string)
        default:
            throw TokenError(.claim, "The token's \"\(name)\" is neither a string nor an array of strings.")
        }
        return Set(
            words.filter { word in !word.isEmpty && word.utf8.allSatisfy { (0x21...0x7e).contains($0) } })
    }
}

extension StrictJSON {
    /// The NumericDate of this name, in seconds since 1970; nil if there is none. Its year is between 0 and 9999.
    fileprivate func seconds(_ name: String) throws(TokenError) -> Double? {
        switch self[name] {
        case nil: return nil
        case .number(let seconds)? where (-62_167_219_200..<253_402_300_800).contains(seconds.value):
            return seconds.value
        default:
            throw TokenError(.claim, "The token's \"\(name)\" is not a time in seconds since 1970.")
        }
    }
}
