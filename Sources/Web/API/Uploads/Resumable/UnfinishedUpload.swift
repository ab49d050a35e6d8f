import Glibc
import MediaStore
import Synchronization

/// A photo that arrives in parts: a folder with its record and its bytes. Only the holder of the folder's lock writes.
///
/// The offset is how many bytes the file has. All calls block: use them only on `UploadDirectory.run`.
final class UnfinishedUpload: Sendable {
    private struct State {
        var record: UnfinishedRecord
        var offset: Int64
    }

    static let recordName = "record"
    static let bytesName = "bytes"
    /// A record holds no more than the header fields of a request.
    static let recordLimit = 256 * 1024

    let id: String
    let folder: UploadFile
    /// Nil once the photo is stored.
    private let file: UploadFile?
    private let state: Mutex<State>

    var record: UnfinishedRecord { state.withLock(\.record) }
    /// How many bytes have arrived and are kept.
    var offset: Int64 { state.withLock(\.offset) }
    let bytesPath: String

    /// - Returns: nil if `folder` holds no upload.
    init?(_ id: String, _ folder: UploadFile, path: String, isLocked: Bool) throws(MediaError) {
        guard var record = try Self.record(in: folder) else { return nil }
        let file = try folder.open(Self.bytesName, isLocked ? O_RDWR : O_RDONLY)
        var offset = record.length ?? 0
        if record.job == nil {
            // A record without its bytes is being removed.
            guard let file else { return nil }
            offset = Int64(try file.status().st_size)
            if let trusted = record.trusted {
                offset = min(trusted, offset)
                if isLocked {
                    try file.truncate(to: offset)
                    // Whatever comes from now on is trusted, unless its own request says otherwise.
                    record.trusted = nil
                    try Self.write(record, in: folder)
                }
            }
        } else if isLocked {
            try folder.remove(Self.bytesName)
        }
        self.id = id
        self.folder = folder
        bytesPath = "\(path)/\(Self.bytesName)"
        self.file = file
        state = Mutex(State(record: record, offset: offset))
    }

    static func record(in folder: UploadFile) throws(MediaError) -> UnfinishedRecord? {
        guard let file = try folder.open(recordName) else { return nil }
        return UnfinishedRecord(try file.read(recordLimit))
    }

    func append(_ bytes: [UInt8]) throws(MediaError) {
        guard let file else { throw MediaError(.notFound, path: bytesPath, message: "was stored already") }
        let offset = offset
        try file.write(bytes, at: offset)
        state.withLock { $0.offset = offset + Int64(bytes.count) }
    }

    /// Forgets the bytes from `offset` on.
    func shorten(to offset: Int64) throws(MediaError) {
        try file?.truncate(to: offset)
        state.withLock { $0.offset = offset }
    }

    /// What has arrived survives a power failure.
    func sync() throws(MediaError) { try file?.sync() }

    func head(_ count: Int) throws(MediaError) -> [UInt8] { try file?.read(count) ?? [] }

    func save(_ change: (inout UnfinishedRecord) -> Void) throws(MediaError) {
        var record = record
        change(&record)
        try Self.write(record, in: folder)
        state.withLock { $0.record = record }
    }

    static func write(_ record: UnfinishedRecord, in folder: UploadFile) throws(MediaError) {
        guard let bytes = try? record.bytes else {
            throw MediaError(.io, path: folder.path, message: "the record of the upload cannot be written")
        }
        try folder.replace(recordName, with: bytes)
    }

    /// The photo is stored, and queued as `job`.
    func end(with job: Int64) { state.withLock { $0.record.job = job } }

    /// Writes down the end, and drops the bytes.
    func settle() throws(MediaError) {
        try save { _ in }
        try folder.remove(Self.bytesName)
    }
}
