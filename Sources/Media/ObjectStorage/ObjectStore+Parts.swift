import Digests
import Glibc
import Threads

extension ObjectStore {
    /// The most parts that S3 allows.
    private static let mostParts: Int64 = 10_000

    /// Stores a large file in parts, one after the other. If it fails, the parts that came are removed.
    func putInParts(_ key: ObjectKey, from descriptor: CInt, size: Int64, sha256: SHA256Digest) async throws {
        let operation = "PUT \(key.text.printable)"
        let parts = Self.parts(of: size, atLeast: configuration.partSize)
        let digests = try await onThread { try Self.digests(of: parts, in: descriptor, operation: operation) }
        guard digests.whole == sha256 else {
            throw ObjectStoreError(
                .digestMismatch, operation: operation,
                message: "the file does not have the SHA-256 it should have; nothing was stored")
        }
        let upload = try await begin(key, sha256: sha256)
        do {
            var tags: [String] = []
            for (index, part) in parts.enumerated() {
                tags.append(
                    try await put(
                        part, number: index + 1, of: upload, key, from: descriptor,
                        sha256: digests.parts[index]))
            }
            try await complete(upload, key, tags: tags, size: size, sha256: sha256)
        } catch {
            // Also if this task is cancelled: incomplete parts cost room, and no list of objects shows them.
            let clearing = Task { try await abortUpload(key, id: upload) }
            _ = await clearing.result
            throw error
        }
    }

    struct Part: Sendable, Hashable {
        var offset: Int64
        var count: Int64
    }

    /// Parts of the same size, except for the last, and not too many.
    static func parts(of size: Int64, atLeast: Int64) -> [Part] {
        let count = max(atLeast, (size + mostParts - 1) / mostParts)
        return stride(from: 0, to: size, by: Int64.Stride(count)).map {
            Part(offset: $0, count: min(count, size - $0))
        }
    }

    private struct PartDigests: Sendable {
        var whole: SHA256Digest
        var parts: [SHA256Digest]
    }

    /// Blocks.
    private static func digests(
        of parts: [Part], in descriptor: CInt, operation: String
    ) throws -> PartDigests {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        let whole = SHA256Hasher()
        let digests = try parts.map { part in
            let hasher = SHA256Hasher()
            var done: Int64 = 0
            while done < part.count {
                let wanted = Int(min(Int64(buffer.count), part.count - done))
                let count = pread(descriptor, buffer.baseAddress, wanted, off_t(part.offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let number = count == 0 ? nil : errno
                    let why = number.map { "could not read the file: \(String(cString: strerror($0)))" }
                    throw ObjectStoreError(
                        .localFile, operation: operation,
                        message: why ?? "the file is shorter than said; nothing was stored",
                        errorNumber: number)
                }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                hasher.update(bytes)
                whole.update(bytes)
                done += Int64(count)
            }
            return hasher.finish()
        }
        return PartDigests(whole: whole.finish(), parts: digests)
    }

    func begin(_ key: ObjectKey, sha256: SHA256Digest) async throws -> String {
        var request = StoreRequest(method: .post, key: key, query: [("uploads", "")])
        request.headers = [(Self.digestHeader, sha256.hex)]
        request.root = "InitiateMultipartUploadResult"
        guard let id = try await send(request).root["UploadId"], !id.isEmpty else {
            throw ObjectStoreError(
                .unexpected, operation: request.operation, message: "the store gave no number for the upload")
        }
        return id
    }

    /// Returns the part's tag.
    private func put(
        _ part: Part, number: Int, of upload: String, _ key: ObjectKey, from descriptor: CInt,
        sha256: SHA256Digest
    ) async throws -> String {
        var request = StoreRequest(
            method: .put, key: key, query: [("partNumber", "\(number)"), ("uploadId", upload)], sha256: sha256
        )
        request.body = .file(descriptor: descriptor, offset: part.offset, count: part.count, sha256: sha256)
        guard let tag = try await send(request).header("etag") else {
            throw ObjectStoreError(
                .unexpected, operation: request.operation, message: "the store gave no tag for a part")
        }
        return tag
    }

    private func complete(
        _ upload: String, _ key: ObjectKey, tags: [String], size: Int64, sha256: SHA256Digest
    ) async throws {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag.escapedForXML)</ETag></Part>"
        }
        let document = Array(
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(parts.joined())</CompleteMultipartUpload>"
                .utf8)
        var request = StoreRequest(
            method: .post, key: key, query: [("uploadId", upload)], body: .bytes(document),
            sha256: SHA256Digest(hashing: document))
        request.root = "CompleteMultipartUploadResult"
        do {
            _ = try await send(request)
        } catch let error as ObjectStoreError where error.code == .notFound && error.tries > 1 {
            // An earlier try may have succeeded, and its reply been lost.
            let facts = try await head(key)
            guard facts?.size == size, facts?.sha256 == sha256 else { throw error }
        }
    }
}

extension String {
    var escapedForXML: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
    }
}
