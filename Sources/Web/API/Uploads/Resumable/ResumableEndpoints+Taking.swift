import Digests
import HTTPServer
import Imaging
import MediaStore
import Synchronization

extension ResumableEndpoints {
    /// As many bytes as say which format a photo has.
    private static let headBytes: Int64 = 256

    /// Writes the body of a request behind what has arrived before. What arrives before a cut is kept, unless it has a checksum.
    func take(_ part: UploadDialect.Part, _ body: HTTPRequestBody, _ upload: UnfinishedUpload) async throws {
        guard upload.record.job == nil else {
            throw Problem(.conflict, "All of the photo has arrived already.", reason: "upload_complete")
        }
        let start = upload.offset
        try await settleLength(part, body, upload)
        let most = upload.record.length ?? uploads.limits.bytes
        let hasChecksum = part.checksum != nil
        if hasChecksum { try await files { () throws(MediaError) in try upload.save { $0.trusted = start } } }
        let sum = Mutex(part.checksum.map { RunningSum($0) })
        do {
            while let bytes = try await body.next() {
                guard upload.offset + Int64(bytes.count) <= most else { throw Self.tooMany(most) }
                let isAtHead = upload.offset < Self.headBytes
                try await files { () throws(MediaError) in
                    try upload.append(bytes)
                    sum.withLock { $0?.update(bytes) }
                }
                if !hasChecksum, isAtHead { try await requirePhoto(upload, isWhole: false) }
            }
            if let checksum = part.checksum, sum.withLock({ $0?.finish() }) != checksum.digest {
                throw Problem(
                    .checksumMismatch, "The bytes do not match their checksum: send them again.",
                    argument: "Upload-Checksum")
            }
        } catch {
            // Nothing is kept of bytes that were not verified. Otherwise what is kept must outlast a power failure.
            try? await files { () throws(MediaError) in
                if hasChecksum {
                    try upload.shorten(to: start)
                    try upload.save { $0.trusted = nil }
                } else {
                    try upload.sync()
                }
            }
            throw error is HTTPBodyError
                ? Problem(.invalidRequest, "The bytes ended too early: go on with the next one.") : error
        }
        try await files { () throws(MediaError) in
            try upload.sync()
            let end = upload.offset
            let isNew = part.isLast == true && upload.record.length == nil
            if hasChecksum || isNew {
                try upload.save {
                    $0.trusted = nil
                    if isNew { $0.length = end }
                }
            }
        }
        guard part.isLast != true || upload.offset == upload.record.length else {
            throw Problem(
                .invalidRequest, "The photo ends before its announced length.", argument: "Upload-Length")
        }
        try await requirePhoto(upload, isWhole: false)
    }

    /// Refuses what cannot fit before any byte of it, and remembers a length that the request tells.
    private func settleLength(
        _ part: UploadDialect.Part, _ body: HTTPRequestBody, _ upload: UnfinishedUpload
    ) async throws {
        let known = upload.record.length
        let end = body.announcedBytes.map { upload.offset.addingReportingOverflow($0) }
        let announcedEnd = end.map { $0.overflow ? .max : $0.partialValue }
        let told = part.length ?? (part.isLast == true ? announcedEnd : nil)
        try Arrival(uploads.limits).requireFit(told)
        if let told, let known, told != known {
            throw Problem(
                .invalidRequest, "The length of the photo was \(known) bytes, and is \(told) now.",
                argument: "Upload-Length")
        }
        let most = known ?? told ?? uploads.limits.bytes
        if let announcedEnd, announcedEnd > most { throw Self.tooMany(most) }
        if part.isLast == true, let announcedEnd, announcedEnd < most, known ?? told != nil {
            throw Problem(
                .invalidRequest, "The photo ends before its announced length of \(most) bytes.",
                argument: "Upload-Length")
        }
        if let told, known == nil {
            guard told >= upload.offset else { throw Self.tooMany(told) }
            try await files { () throws(MediaError) in try upload.save { $0.length = told } }
        }
    }

    private static func tooMany(_ most: Int64) -> Problem {
        Problem(.tooLarge, "The photo would have more than \(most) bytes.", reason: "too_many_bytes")
    }

    /// Looks at the first bytes as soon as they are there. What is no photo is removed: nothing can make it one.
    func requirePhoto(_ upload: UnfinishedUpload, isWhole: Bool) async throws {
        guard isWhole || upload.offset >= Self.headBytes else { return }
        let head = try await files { () throws(MediaError) in try upload.head(Int(Self.headBytes)) }
        let format = head.withUnsafeBytes { bytes in
            Result { () throws(PhotoRejection) in try Sniffing.format(of: bytes) }
        }
        guard case .failure(let rejection) = format else { return }
        try await files { () throws(MediaError) in try directory.remove(upload) }
        throw Problem(.unsupportedType, rejection.message, reason: rejection.code.rawValue)
    }
}

/// The checksum of the bytes of one request while they arrive.
private struct RunningSum: ~Copyable {
    private var hasher: ChecksumHasher?

    init(_ checksum: UploadChecksum) { hasher = ChecksumHasher(checksum.algorithm) }

    mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { hasher?.update($0) } }

    mutating func finish() -> [UInt8]? { hasher.take()?.finish() }
}
