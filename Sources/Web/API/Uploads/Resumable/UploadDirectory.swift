import Digests
import FoundationEssentials
import Glibc
import MediaStore

/// Where photos that arrive in parts wait for the rest: a folder for each person, and in it one for each upload.
///
/// All servers behind one address share the directory. A server may be killed at any moment: an upload appears with its
/// record in one step, and one whose record is gone is none.
struct UploadDirectory: Sendable {
    enum Opened: Sendable {
        case upload(UnfinishedUpload)
        /// Another request writes to it.
        case busy
        /// It is there, but too old.
        case expired
        case missing
    }

    /// Own threads: a frozen disk with uploads does not hold up the media store.
    private static let threads = FileThreads(count: 8)
    private static let new = ".new-"

    let path: String
    let lifetime: Int

    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(MediaError) -> Value { try await Self.threads.run(work) }

    private static func folderName(of person: String) -> String {
        SHA256Digest(hashing: Array(person.utf8)).hex
    }

    static func isID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
    }

    private static func makeID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    // MARK: One upload

    /// Makes an upload, and locks it.
    func create(_ make: (_ id: String) -> UnfinishedRecord) throws(MediaError) -> UnfinishedUpload {
        let id = Self.makeID()
        let record = make(id)
        let name = Self.folderName(of: record.person)
        let root = try UploadFile.folder(making: path)
        // The folder of a person is removed when it is empty, perhaps just now.
        for _ in 0..<10 {
            guard try root.makeFolder(name), let person = try root.open(name, O_RDONLY | O_DIRECTORY),
                try person.makeFolder(Self.new + id), let folder = try person.open(Self.new + id),
                try folder.tryLock()
            else { continue }
            do throws(MediaError) {
                _ = try folder.open(UnfinishedUpload.bytesName, O_WRONLY | O_CREAT | O_EXCL)
                try UnfinishedUpload.write(record, in: folder)
                try person.rename(Self.new + id, to: id)
                guard
                    let upload = try UnfinishedUpload(
                        id, folder, path: "\(person.path)/\(id)", isLocked: true)
                else { continue }
                return upload
            } catch {
                for name in [Self.new + id, id] { try? Self.remove(folder, named: name, in: person) }
                throw error
            }
        }
        throw MediaError(.io, path: path, message: "the folder of an upload disappears again and again")
    }

    /// Finds an upload of `person`: those of others are in other folders.
    func open(_ id: String, of person: String, locking: Bool) throws(MediaError) -> Opened {
        guard Self.isID(id),
            let root = try root(),
            let people = try root.open(Self.folderName(of: person), O_RDONLY | O_DIRECTORY),
            let folder = try people.open(id, O_RDONLY | O_DIRECTORY)
        else { return .missing }
        if locking, try !folder.tryLock() { return .busy }
        guard let upload = try UnfinishedUpload(id, folder, path: folder.path, isLocked: locking)
        else { return .missing }
        return upload.record.isExpired ? .expired : .upload(upload)
    }

    /// Removes an upload whose lock the caller has.
    func remove(_ upload: UnfinishedUpload) throws(MediaError) {
        guard let person = try root()?.open(Self.folderName(of: upload.record.person), O_RDONLY | O_DIRECTORY)
        else { return }
        try Self.remove(upload.folder, named: upload.id, in: person)
    }

    /// The record goes first: what is left without it is no upload, and is swept away if this ends early.
    private static func remove(
        _ folder: UploadFile, named name: String, in person: UploadFile
    ) throws(MediaError) {
        for file in [
            UnfinishedUpload.recordName, "\(UnfinishedUpload.recordName).new", UnfinishedUpload.bytesName,
        ] {
            try folder.remove(file)
        }
        try person.remove(name, isFolder: true)
    }

    private func root() throws(MediaError) -> UploadFile? {
        access(path, F_OK) == 0 ? try UploadFile.folder(making: path) : nil
    }

    // MARK: All uploads

    /// The unfinished uploads of a person, and how many bytes they have announced.
    ///
    /// - Parameter unknown: what counts for one that has announced no length.
    func unfinished(of person: String, unknown: Int64) throws(MediaError) -> (count: Int, bytes: Int64) {
        var (count, bytes) = (0, Int64(0))
        guard let root = try root(),
            let person = try root.open(Self.folderName(of: person), O_RDONLY | O_DIRECTORY)
        else { return (0, 0) }
        for id in try person.names()
        where Self.isID(id) && person.has("\(id)/\(UnfinishedUpload.bytesName)") {
            guard let folder = try person.open(id, O_RDONLY | O_DIRECTORY),
                let record = try UnfinishedUpload.record(in: folder), record.job == nil, !record.isExpired
            else { continue }
            count += 1
            bytes += record.length ?? unknown
        }
        return (count, bytes)
    }

    /// Removes what has expired, and what a killed server has left behind. Does nothing while another server does.
    ///
    /// - Returns: how many were removed.
    func sweep() throws(MediaError) -> Int {
        guard let root = try root(), let turn = try root.open(".sweep", O_RDWR | O_CREAT), try turn.tryLock()
        else { return 0 }
        var removed = 0
        for name in try root.names() where !name.hasPrefix(".") {
            guard let person = try root.open(name, O_RDONLY | O_DIRECTORY) else { continue }
            for id in try person.names() {
                guard let folder = try person.open(id, O_RDONLY | O_DIRECTORY), try folder.tryLock(),
                    try isOver(folder)
                else { continue }
                try Self.remove(folder, named: id, in: person)
                removed += 1
            }
            try root.remove(name, isFolder: true)
        }
        return removed
    }

    private func isOver(_ folder: UploadFile) throws(MediaError) -> Bool {
        guard let record = try UnfinishedUpload.record(in: folder) else {
            return try folder.status().st_mtim.tv_sec < time(nil) - lifetime
        }
        if record.job != nil { try folder.remove(UnfinishedUpload.bytesName) }
        return record.isExpired
    }
}
