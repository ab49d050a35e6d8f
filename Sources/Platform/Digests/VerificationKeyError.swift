/// Why a public key cannot be used.
package struct VerificationKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The bytes are not a public key.
        case malformed
        /// A key of another kind, curve or scheme.
        case unsupported
        /// A key whose signatures can be forged.
        case weak
    }

    package var code: Code
    /// What is wrong with the key; never any of its bytes.
    package var message: String

    package var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
