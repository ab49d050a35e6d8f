package import Digests

/// What a store tells of an object.
package struct ObjectFacts: Sendable, Hashable {
    /// In bytes.
    package let size: Int64
    /// In seconds since 1970, by the store's clock; nil if it does not tell.
    package let modified: Int?
    /// Of the bytes, as they were when this client stored them; nil if another did. The store does not check it.
    package let sha256: SHA256Digest?
    /// When it told this, by the same clock; nil if it does not tell.
    package let clock: Int?
    /// The number of this version in a bucket that keeps the versions before it; nil in others.
    package let version: String?
    /// What the store calls these bytes (`ETag`), without quotes; nil if it does not tell. It is not the SHA-256.
    package let tag: String?
}

/// What was read from the store.
package struct ObjectContents: Sendable, Hashable {
    /// In bytes.
    package let size: Int64
    package let sha256: SHA256Digest
    /// The digest that its writer gave, which nobody has checked; nil without one.
    package let told: SHA256Digest?
}

extension ObjectStore {
    static let digestHeader = "x-amz-meta-sha256"

    /// Stores `size` bytes of an open file, in parts if it is large. An object of this key is replaced, at once and whole.
    ///
    /// What is sent is compared with `sha256`, here and by the store; if it does not match nothing is stored
    /// (`digestMismatch`).
    ///
    /// - Parameters:
    ///   - descriptor: open for reading; its offset does not matter. It must stay open until this returns.
    ///   - size: in bytes; a shorter file is an error (`localFile`), what a longer one has more is not read.
    package func put(_ key: ObjectKey, from descriptor: CInt, size: Int64, sha256: SHA256Digest) async throws
    {
        guard size >= 0 else {
            throw ObjectStoreError(
                .invalidRequest, operation: "PUT \(key.text.printable)", message: "a size is not negative")
        }
        guard size <= configuration.partSize else {
            return try await putInParts(key, from: descriptor, size: size, sha256: sha256)
        }
        var request = StoreRequest(method: .put, key: key, sha256: sha256)
        request.headers = [(Self.digestHeader, sha256.hex)]
        request.body = .file(descriptor: descriptor, offset: 0, count: size, sha256: sha256)
        try await sendToStore(request)
    }

    /// Stores `bytes`, in one request. An object of this key is replaced, at once and whole.
    package func put(_ key: ObjectKey, bytes: [UInt8]) async throws {
        let digest = SHA256Digest(hashing: bytes)
        var request = StoreRequest(method: .put, key: key, sha256: digest)
        request.headers = [(Self.digestHeader, digest.hex)]
        request.body = .bytes(bytes)
        try await sendToStore(request)
    }

    /// Sends a request whose reply has no body by which a store could be told from a proxy, but the object's tag.
    ///
    /// A store that takes the later of two simultaneous writes may have no tag for the earlier one (OpenStack Swift's
    /// 202), and still has its number of the request.
    @discardableResult
    private func sendToStore(_ request: StoreRequest) async throws -> StoreReply {
        let reply = try await send(request)
        guard reply.header("etag") ?? reply.header("x-amz-request-id") != nil else {
            throw ObjectStoreError(
                .unexpected, operation: request.operation,
                message: "the reply is not one of an object store; check the endpoint \(location.endpoint)",
                status: reply.transfer.status)
        }
        return reply
    }

    /// A small object; one of more than `limit` bytes is an error (`tooLarge`).
    package func bytes(of key: ObjectKey, atMost limit: Int, isFresh: Bool = false) async throws -> [UInt8] {
        var request = StoreRequest(method: .get, key: key)
        request.isFresh = isFresh
        request.sink = .memory(limit: limit)
        return try await send(request).transfer.body
    }

    /// Writes the object to an open file, and hashes it as it comes.
    ///
    /// After an error the file may have a part of it.
    ///
    /// - Parameters:
    ///   - descriptor: a regular file, open for writing; its contents are replaced. It must stay open until this returns.
    ///   - limit: in bytes; a larger object is an error (`tooLarge`).
    ///   - expected: what the bytes must have (`digestMismatch`); nil for what this client told the store, if it did.
    package func get(
        _ key: ObjectKey, into descriptor: CInt, limit: Int64, expected: SHA256Digest? = nil
    ) async throws -> ObjectContents {
        let found = try await read(key, into: descriptor, limit: limit)
        // A cut whose length is misstated looks whole; what was told when it was stored does not.
        if let expected = expected ?? found.told, found.sha256 != expected {
            throw ObjectStoreError(
                .digestMismatch, operation: "GET \(key.text.printable)",
                message:
                    "its \(found.size) bytes do not match the SHA-256 \(expected); restore it from a backup")
        }
        return found
    }

    /// The same without comparing the bytes with anything.
    ///
    /// - Parameters:
    ///   - descriptor: nil to hash them only.
    ///   - isFresh: whether a new connection is made for it.
    package func read(
        _ key: ObjectKey, into descriptor: CInt?, limit: Int64, isFresh: Bool = false
    ) async throws -> ObjectContents {
        var request = StoreRequest(method: .get, key: key)
        request.isFresh = isFresh
        request.sink = .file(descriptor: descriptor, limit: limit)
        let reply = try await send(request)
        guard let digest = reply.transfer.digest else {
            throw ObjectStoreError(
                .unexpected, operation: request.operation, message: "the reply has no body")
        }
        return ObjectContents(
            size: reply.transfer.received, sha256: digest,
            told: reply.header(Self.digestHeader).flatMap { SHA256Digest(hex: $0) })
    }

    /// What the store tells of the object; nil if there is none.
    ///
    /// - Parameter isFresh: whether new connections are made for it.
    package func head(_ key: ObjectKey, isFresh: Bool = false) async throws -> ObjectFacts? {
        if let facts = try await trustingHead(key, isFresh: isFresh) { return facts }
        guard try await hasBytes(key, isFresh: isFresh) else { return nil }
        // It came a moment ago.
        if let facts = try await trustingHead(key, isFresh: isFresh) { return facts }
        throw ObjectStoreError(
            .unexpected, operation: "HEAD \(key.text.printable)",
            message: "there is an object for GET and none for HEAD; check the endpoint \(location.endpoint)")
    }

    /// Asks with a GET, whose reply tells that it is the store that has no such object, and not a proxy before it.
    private func hasBytes(_ key: ObjectKey, isFresh: Bool) async throws -> Bool {
        do {
            _ = try await bytes(of: key, atMost: 0, isFresh: isFresh)
            return true
        } catch let error as ObjectStoreError where error.code == .notFound {
            return false
        } catch let error as ObjectStoreError where error.code == .tooLarge {
            return true
        }
    }

    private func trustingHead(_ key: ObjectKey, isFresh: Bool) async throws -> ObjectFacts? {
        var request = StoreRequest(method: .head, key: key)
        request.isFresh = isFresh
        do {
            let reply = try await sendToStore(request)
            guard let size = reply.header("content-length").flatMap({ Int64($0) }) else {
                throw ObjectStoreError(
                    .unexpected, operation: request.operation, message: "the reply does not tell the size")
            }
            return ObjectFacts(
                size: size, modified: reply.header("last-modified").flatMap(StoreTime.seconds(http:)),
                sha256: reply.header(Self.digestHeader).flatMap { SHA256Digest(hex: $0) },
                clock: reply.clock,
                version: reply.header("x-amz-version-id").flatMap { $0 == "null" ? nil : $0 },
                tag: reply.header("etag").map { $0.filter { $0 != "\"" } })
        } catch let error as ObjectStoreError where error.code == .notFound {
            return nil
        }
    }

    /// Removes the object. It is no error if there is none.
    package func delete(_ key: ObjectKey) async throws {
        do {
            _ = try await send(StoreRequest(method: .delete, key: key))
        } catch let error as ObjectStoreError where error.code == .notFound {
            return
        }
    }

    /// Makes the bucket. For tests and benchmarks: operators make theirs with the tools of their store.
    package func makeBucket() async throws { _ = try await send(StoreRequest(method: .put, key: nil)) }
}
