package import Digests

/// A request that anyone can make who has it, once or more, until it expires.
package struct PresignedRequest: Sendable, Hashable {
    /// `PUT` or `GET`.
    package let method: String
    /// Holds the signature: who knows the URL may use it.
    package let url: String
    /// To be sent exactly like this; other headers may be added.
    package let headers: [String: String]
    /// In seconds since 1970.
    package let expiry: Int
}

extension ObjectStore {
    /// A request to store exactly the bytes with this digest and size.
    ///
    /// A store that checks `x-amz-content-sha256` takes no others; check those of another store when they are read. The type is
    /// signed too, so that no browser takes what it reads from the store for a page.
    ///
    /// - Parameter lifetime: in seconds, 1 to 604,800 (a week). Temporary keys may end before.
    package func presignedPut(
        _ key: ObjectKey, size: Int64, sha256: SHA256Digest, lifetime: Int
    ) async throws -> PresignedRequest {
        try await presign(
            "PUT", key,
            headers: [
                ("content-length", "\(size)"), ("content-type", "application/octet-stream"),
                ("x-amz-content-sha256", sha256.hex),
            ],
            payload: sha256.hex, lifetime: lifetime)
    }

    /// A request to read the object.
    ///
    /// - Parameter lifetime: in seconds, 1 to 604,800 (a week). Temporary keys may end before.
    package func presignedGet(_ key: ObjectKey, lifetime: Int) async throws -> PresignedRequest {
        try await presign(
            "GET", key, headers: [], payload: SignatureV4.unsignedPayload, lifetime: lifetime)
    }

    private func presign(
        _ method: String, _ key: ObjectKey, headers: [(name: String, value: String)], payload: String,
        lifetime: Int
    ) async throws -> PresignedRequest {
        guard (1...604_800).contains(lifetime) else {
            throw ObjectStoreError(
                .invalidRequest, operation: "sign a \(method) of \(key.text.printable)",
                message: "the lifetime is 1 to 604800 seconds")
        }
        let time = configuration.now()
        let keys = try await credentials.current(over: thread, now: time)
        let signature = SignatureV4(credentials: keys, region: location.region, time: time)
        let path = location.path(of: location.prefix + key.text)
        let query = signature.presignedQuery(
            SignatureV4.Request(
                method: method, path: path, headers: headers + [("host", location.host)], payload: payload),
            lifetime: lifetime)
        return PresignedRequest(
            method: method, url: location.url(path: path, query: query),
            headers: Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) }),
            expiry: min(time + lifetime, keys.expiry ?? .max))
    }
}
