package import FoundationEssentials

/// Who is asking.
package struct Caller: Hashable, Sendable {
    /// How it is known.
    package enum Proof: Hashable, Sendable {
        /// A signed token; `key` is the `kid` of the key that verified it, if the key has one.
        case token(key: String?)
        /// The API key of this name: a server vouches for the person.
        case apiKey(name: String)
        /// Nothing proves it. An `Authenticator` never says this; it is for servers that let people in without an account.
        case anonymous
    }

    /// As `darkroom.person` has it: 1 to 200 characters, none of them a control character.
    package var person: String
    /// What readers see: one line of 1 to 100 characters, if the token says it.
    package var displayName: String?
    /// When the person's account was made, if the token or the server with the API key says it.
    package var since: Date?
    package var proof: Proof
    /// What the token allows: printable ASCII without spaces. Empty for API keys.
    package var scopes: Set<String>

    package init(
        person: String, displayName: String? = nil, since: Date? = nil, proof: Proof, scopes: Set<String> = []
    ) {
        self.person = person
        self.displayName = displayName
        self.since = since
        self.proof = proof
        self.scopes = scopes
    }
}

extension String {
    /// Whether the text can be a person: the rule of `darkroom.person` in sql/tables/0001_baseline.sql, and no control
    /// characters, which a header or a log line cannot carry.
    package var isPerson: Bool {
        utf8.count <= 800 && (1...200).contains(unicodeScalars.count) && !hasControlCharacter
    }

    /// Whether the text can be a display name by `darkroom.display_name`: one line of 1 to 100 characters, one of them visible,
    /// and at most 30 combining characters in a row.
    var isDisplayName: Bool {
        guard utf8.count <= 400, (1...100).contains(unicodeScalars.count), !hasControlCharacter else {
            return false
        }
        var (isVisible, marks) = (false, 0)
        for scalar in unicodeScalars {
            let properties = scalar.properties
            isVisible = isVisible || !(properties.isWhitespace || properties.generalCategory == .format)
            marks = properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            // Line ends, and controls of the direction that do not end by themselves.
            if marks > 30 || (0x2028...0x202e).contains(scalar.value) { return false }
        }
        return isVisible
    }

    private var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
