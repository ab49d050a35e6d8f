/// Why a request does not say who is asking. It never contains the token or the key.
package struct TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The `Authorization` header is not `Bearer` and one token.
        case malformedAuthorization
        /// The token has more bytes than `TokenVerifier.longest`.
        case tooLong
        /// The token is not three parts in base64url, or a part is not what it must be.
        case malformed
        /// The token's header asks for something that is never done, such as following an address.
        case unsupportedHeader
        /// The token's algorithm is not accepted, or not that of the key.
        case algorithm
        /// No key has the token's `kid`, or none has its algorithm.
        case unknownKey
        /// No key verifies the signature.
        case signature
        /// The time of `exp` has passed.
        case expired
        /// The time of `nbf` has not come.
        case notYetValid
        /// The token is from another issuer.
        case issuer
        /// The token is for another audience.
        case audience
        /// A claim is missing or is not of the type that it must be.
        case claim
        /// The person is not 1 to 200 characters without control characters.
        case person
        /// The request names a person in a header, and nothing proves that it may.
        case personNotAllowed
        /// No API key is like this one.
        case unknownAPIKey
        /// The server was not given the keys for this kind of proof.
        case notConfigured
    }

    package var code: Code
    /// One sentence, for the one who asks.
    package var message: String

    package var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
