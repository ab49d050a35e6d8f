/// The keys to an object store.
package struct StoreCredentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let accessKey: String
    package let secretKey: String
    /// Of temporary keys.
    package let sessionToken: String?
    /// When temporary keys end, in seconds since 1970.
    package let expiry: Int?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil, expiry: Int? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expiry = expiry
    }

    /// Without what is secret, so that no log or error shows it by mistake.
    package var description: String { "credentials of \(accessKey.prefix(4))…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
