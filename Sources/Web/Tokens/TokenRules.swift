/// What a token must say to be accepted, and which of its claims say who is asking.
package struct TokenRules: Hashable, Sendable {
    /// What `iss` must be; nil to accept any issuer whose key is in the file.
    package var issuer: String?
    /// One of the values of `aud` must be one of these; empty to accept any audience. Needed if the issuer signs tokens for
    /// other services with the same key: each of them could use a token that it was sent.
    package var audiences: [String]
    /// How far the issuer's clock may be from ours, in seconds, 0 to 300. A token is accepted for this long after `exp` and
    /// before `nbf`.
    package var leeway: Double
    /// The claim with the person: a string.
    package var personClaim: String
    /// The claim with the name that readers see: a string. Nil to read none.
    package var nameClaim: String?
    /// The claim with the time at which the account was made: a NumericDate (RFC 7519). Nil to read none.
    package var sinceClaim: String?
    /// The claim with what the token allows: words separated by spaces (RFC 8693), or an array of strings. Nil to read none.
    package var scopeClaim: String?

    package init(
        issuer: String? = nil, audiences: [String] = [], leeway: Double = 30, personClaim: String = "sub",
        nameClaim: String? = nil, sinceClaim: String? = nil, scopeClaim: String? = nil
    ) {
        precondition((0...300).contains(leeway), "a leeway is 0 to 300 seconds")
        self.issuer = issuer
        self.audiences = audiences
        self.leeway = leeway
        self.personClaim = personClaim
        self.nameClaim = nameClaim
        self.sinceClaim = sinceClaim
        self.scopeClaim = scopeClaim
    }
}
