import Glibc

/// Photos and their renditions in a local directory.
///
/// ## Layout
///
/// Other programs may write originals and read renditions at the same time. Under the root:
///
/// - `originals/ab/cd/<hash>`: a photo as it was uploaded, mode 0640;
/// - `renditions/ab/cd/<hash>.<extension>`: one output image, mode 0644.
///
/// `<hash>` is the SHA-256 of the file's bytes as 64 lower-case hexadecimal digits; `ab` and `cd` are its
/// first and second two. Files never change once they have a name. The key of a file is its path relative to the root.
/// To store an original: write the bytes to an unnamed file (`O_TMPFILE`), or one whose name starts with a dot, in the
/// same file system; `fsync` it; create the two directories if they are missing; `link` the file to its name; remove
/// the other name; `fsync` the directory. If `link` says that the name exists, the same bytes are stored already: set
/// that file's times to now (`touch`), or replace it with the new one (`rename`) if it belongs to another user.
///
/// - `originals/.darkroom-store`: the marker, which has the store's identity. It is made with the first original, or when
///   a store that other programs have filled is first used, and recorded in the database. From then on only a directory
///   with this marker is the store. Another directory at the path, or none, is an error of each call; when the store is
///   back, calls work again.
///
/// ## Guarantees
///
/// When a store call returns, the file survives a power cut. An incomplete file never has a key. Storing the same bytes
/// twice, even at once in two processes, gives one file. All blocking work happens on the store's own threads. Storing
/// a file again renews its time, so a removal that spares recently stored files never takes a file away from a caller
/// that is about to refer to it.
package struct LocalMediaStore: IdentifiedStore {
    /// Where files are written before they have a name, and what a published file is linked from.
    enum UnfinishedFiles: Sendable {
        /// Unnamed files if the file system supports them, otherwise named ones.
        case unnamedIfPossible
        /// Always named ones, as on file systems without `O_TMPFILE`.
        case named
    }

    /// The absolute path of the store's directory. Every call follows it again.
    package let root: String
    package var location: String { root }
    let unfinishedFiles: UnfinishedFiles
    let record: RecordIdentity
    let known: KnownIdentity
    let touch: StoreTouch
    /// Which of a file's times says when it was stored.
    var storedAt: @Sendable (stat) -> timespec = { $0.st_ctim }

    /// The store at `location`, which need not be there yet.
    ///
    /// `location` is a directory path or a `file:` URL, whose percent escapes are decoded and whose host
    /// must be empty or `localhost`.
    package init(location: String, record: @escaping RecordIdentity) throws(MediaError) {
        try self.init(location: location, unfinishedFiles: .unnamedIfPossible, record: record)
    }

    init(
        location: String, unfinishedFiles: UnfinishedFiles, record: @escaping RecordIdentity
    ) throws(MediaError) {
        root = try Self.absolute(try MediaLocation.directoryPath(from: location))
        self.unfinishedFiles = unfinishedFiles
        self.record = record
        known = KnownIdentity()
        touch = StoreTouch()
    }

    private init(_ store: LocalMediaStore, identity: String) {
        root = store.root
        unfinishedFiles = store.unfinishedFiles
        record = { _ in .identity(identity) }
        known = KnownIdentity(identity)
        touch = store.touch
        storedAt = store.storedAt
    }

    func recorded(as identity: String) -> LocalMediaStore {
        LocalMediaStore(self, identity: identity)
    }

    private static func absolute(_ path: String) throws(MediaError) -> String {
        if path.hasPrefix("/") { return path }
        guard let current = getcwd(nil, 0) else { throw .system("find the directory", path: path) }
        defer { free(current) }
        return "\(String(cString: current))/\(path)"
    }

    /// The absolute path of the file with `key`, for other programs.
    package func path(of key: MediaKey) -> String { root == "/" ? "/\(key.path)" : "\(root)/\(key.path)" }

    /// `mkdir -p`: symbolic links above and at the root belong to the operator and are followed.
    func makeDirectories(_ path: String) throws(MediaError) {
        if mkdir(path, 0o775) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .system("make the directory", path: path)
        }
        try makeDirectories(String(path[..<slash]))
        guard mkdir(path, 0o775) == 0 || errno == EEXIST else {
            throw .system("make the directory", path: path)
        }
    }
}
