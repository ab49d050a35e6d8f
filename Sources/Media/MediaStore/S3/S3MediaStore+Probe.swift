import ObjectStorage
import PlainText

extension S3MediaStore {
    /// Below it are the objects that probes put and remove.
    static let probes = ".probe/"

    /// No call of the client can hang, so there is nothing to see beforehand.
    package func requireResponse() async throws(MediaError) {}

    /// Reads the marker, and makes a temporary file.
    package func probeReading(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { () async throws(MediaError) in
            _ = try await makeUnnamedRendition()
        }
    }

    package func probeWriting(isNeeded: Bool) async throws(MediaError) {
        try await probe(isNeeded: isNeeded) { () async throws(MediaError) in
            try await FileThreads.shared.run { () throws(MediaError) in try scratch.makeFile().tryOut() }
            try await inStore(changing: true) { () async throws(MediaError) in try await putReadRemove() }
        }
    }

    private func putReadRemove() async throws(MediaError) {
        let path = Self.probes + UInt64.random(in: .min ... .max).hexadecimal
        let key = try name(path)
        do {
            try await objects.put(key, bytes: MediaFile.trialBytes)
            let found = try await objects.bytes(of: key, atMost: MediaFile.trialBytes.count)
            guard found == MediaFile.trialBytes else {
                throw MediaError(
                    .io, path: path, message: "does not have the bytes that were put; look at the store")
            }
            try await objects.delete(key)
        } catch {
            // What was put a moment ago and is missing is the store's fault.
            var fault = MediaError(error, path: path)
            if fault.code == .notFound { fault.code = .io }
            throw fault
        }
    }
}
