import Glibc
import ObjectStorage
import PlainText

extension S3MediaStore {
    /// Tries each kind of request, with objects below `.probe/`, which it removes.
    package func examine() async throws(MediaError) -> [StoreFinding] {
        let path = Self.probes + UInt64.random(in: .min ... .max).hexadecimal
        let key = try name(path)
        let findings = await findings(key)
        try await request { try await objects.delete(key) }
        return findings
    }

    private func findings(_ key: ObjectKey) async -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let clock = ContinuousClock()
        await findings.add(
            "what is missing",
            mend:
                "allow s3:ListBucket on the bucket: without it a photo that is missing never gets its reason"
        ) {
            () async throws -> String in
            guard try await objects.head(key) == nil else {
                throw Odd("an object is there that nobody stored")
            }
            return "tells what is not there from what is not allowed"
        }
        await findings.add(
            "put and get", mend: "allow s3:PutObject and s3:GetObject on what is below the prefix"
        ) {
            () async throws -> String in
            let began = clock.now
            try await objects.put(key, bytes: MediaFile.trialBytes)
            let put = clock.now
            guard try await objects.bytes(of: key, atMost: 1 << 20) == MediaFile.trialBytes else {
                throw Odd("the bytes are not those that were put")
            }
            let kilobytes = MediaFile.trialBytes.count / 1024
            return
                "\(kilobytes) KiB put in \(began.duration(to: put).shown), got in \(put.duration(to: clock.now).shown)"
        }
        await findings.add("time", mend: "use a store that tells Last-Modified and Date, and set the clocks")
        {
            () async throws -> String in
            guard let facts = try await objects.head(key), let stored = facts.modified, let now = facts.clock
            else { throw Odd("the store does not tell when something was stored") }
            guard abs(now - stored) < 60 else {
                throw Odd(
                    "what was stored just now is \(now - stored) seconds old: the clocks of its parts differ")
            }
            let skew = Int(time(nil)) - now
            // Requests of clocks that are 15 minutes apart are refused.
            guard abs(skew) < 300 else {
                throw Odd("this machine's clock is \(skew) seconds ahead of the store's")
            }
            return "this machine's clock is \(abs(skew)) s \(skew < 0 ? "behind" : "ahead of") the store's"
        }
        await findings.add("lists", mend: "allow s3:ListBucket on the bucket: sweeps need it") {
            () async throws -> String in
            let page = try await objects.list(prefix: key.text)
            return page.items.isEmpty
                ? "a list does not show at once what was put, which is allowed"
                : "a list shows at once what was put"
        }
        await findings.add(
            "large files",
            mend:
                "allow s3:PutObject and s3:AbortMultipartUpload, or use a store that takes uploads in parts: photos above 32 MiB need it"
        ) { () async throws -> String in
            try await objects.tryParts(key)
            _ = try await objects.incompleteUploads()
            return "are stored in parts, and a sweep removes parts that a dead process left"
        }
        await findings.add(
            "storing again",
            mend: "use a store that renews Last-Modified: a sweep may remove what was just stored again"
        ) {
            () async throws -> String in
            let first = try await objects.head(key)?.modified
            // The time has whole seconds.
            try await Task.sleep(for: .milliseconds(1100))
            try await objects.put(key, bytes: MediaFile.trialBytes)
            guard let first, let second = try await objects.head(key)?.modified, second > first else {
                throw Odd("the same bytes, stored again, keep the time of the first ones")
            }
            return "the same bytes, stored again, get a new time"
        }
        await findings.add(
            "versions",
            mend:
                "switch the bucket's versioning off and remove the versions that are there; if a lifecycle rule removes them "
                + "within the time in which you promise to erase, this can stay"
        ) {
            () async throws -> String in
            guard try await objects.head(key)?.version == nil else {
                throw Odd("the bucket keeps each version: what is removed or erased can still be read")
            }
            return "the bucket keeps none of what was removed"
        }
        await findings.add("removal", mend: "allow s3:DeleteObject on what is below the prefix") {
            () async throws -> String in
            try await objects.delete(key)
            guard try await objects.head(key) == nil else { throw Odd("what was removed is still there") }
            return "what was removed is gone at once"
        }
        await findings.add(
            "SHA-256",
            mend:
                "use TLS, so that nothing changes on the way; photos and pictures are compared when they are read"
        ) { () async throws -> String in
            guard try await objects.refusesWrongDigest(key) else {
                throw Odd("the store takes bytes that do not match the SHA-256 that was sent with them")
            }
            return "the store refuses bytes that were changed on their way"
        }
        return findings
    }
}

/// Something that no error of the client says.
private struct Odd: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

extension [StoreFinding] {
    fileprivate mutating func add(
        _ what: String, mend remedy: String, _ body: () async throws -> String
    ) async {
        do {
            append(StoreFinding(what: what, detail: try await body(), remedy: nil))
        } catch {
            let text = (error as? Odd)?.text ?? MediaError(error, path: "the store").message
            append(StoreFinding(what: what, detail: text, remedy: remedy))
        }
    }
}

extension Duration {
    /// In whole milliseconds.
    fileprivate var shown: String {
        "\(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) ms"
    }
}
