/// Why an object store, or the way to it, could not do what was asked.
///
/// Messages hold no keys to the store and no signed URLs.
package struct ObjectStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no such object, or no such upload in parts.
        case notFound
        case bucketNotFound
        /// The keys are good, and do not allow this.
        case accessDenied
        /// The store does not know the access key, or the secret key does not belong to it.
        case signatureRejected
        /// Temporary keys have ended.
        case credentialsExpired
        /// No source gave keys to the store.
        case noCredentials
        /// This machine's clock, or the store's, is wrong; see `clockSkew`.
        case clockSkew
        /// The bucket is in another region, or is reached at another address.
        case wrongRegion
        /// The store asks for fewer requests.
        case slowDown
        /// The quota of the store, or its disks, are full.
        case noSpace
        /// A time limit passed.
        case timeout
        /// The store could not be reached, or the connection was cut, before the reply was complete.
        case connection
        /// The certificate of the store is not trusted, or TLS could not be agreed on.
        case tls
        /// The bytes do not have the SHA-256 that they should have.
        case digestMismatch
        /// The object is larger than what was allowed.
        case tooLarge
        /// The store failed (status 500 to 599).
        case server
        /// The local file could not be read or written; see `errorNumber`.
        case localFile
        /// The request makes no sense to the store, or to this client before it is sent.
        case invalidRequest
        /// The text is not the location of an object store.
        case malformedLocation
        /// The reply is not one that S3's protocol knows.
        case unexpected
    }

    package var code: Code
    /// Such as `PUT` and the key, or what was to be done.
    package var operation: String
    /// What happened and what to do about it.
    package var message: String
    /// The status of the last reply.
    package var status: Int?
    /// The code of the last reply, such as `NoSuchKey`.
    package var serverCode: String?
    /// The number by which the store's own log knows the last request.
    package var requestID: String?
    /// By how many seconds this machine's clock is ahead of the store's; negative if it is behind.
    package var clockSkew: Int?
    /// How often it was tried; 0 if nothing was sent.
    package var tries = 0
    /// The `errno` of a failure of the local file.
    package var errorNumber: CInt?

    package init(
        _ code: Code, operation: String, message: String, status: Int? = nil, serverCode: String? = nil,
        requestID: String? = nil, clockSkew: Int? = nil, errorNumber: CInt? = nil
    ) {
        self.code = code
        self.operation = operation
        self.message = message
        self.status = status
        self.serverCode = serverCode
        self.requestID = requestID
        self.clockSkew = clockSkew
        self.errorNumber = errorNumber
    }

    package var description: String { "\(operation): \(explanation)" }

    /// The message, with what the store's own log knows of the request.
    package var explanation: String {
        var facts: [String] = []
        if let status { facts.append(serverCode.map { "status \(status), \($0)" } ?? "status \(status)") }
        if let requestID { facts.append("request \(requestID)") }
        if tries > 1 { facts.append("tried \(tries) times") }
        return message + (facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))")
    }

    /// Whether other keys may help. A reply without a body, as to a HEAD, does not say what it refuses: stores tell keys that
    /// have ended with 400, 401 or 403.
    var concernsKeys: Bool {
        code == .signatureRejected || code == .credentialsExpired
            || serverCode == nil && [400, 401, 403].contains(status)
    }

    /// Whether the same request may succeed a moment later.
    package var isPassing: Bool {
        switch code {
        case .slowDown, .connection, .timeout, .server: true
        default: false
        }
    }
}
