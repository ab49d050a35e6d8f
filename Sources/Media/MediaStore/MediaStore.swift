package import Digests
package import ObjectStorage

/// What ingestion needs of the place where photos and their renditions are kept.
///
/// Each file has a key. An original has the key that its upload names; a rendition has the SHA-256 of its bytes. A file never
/// changes while it has a key. A store has an identity, which the database records: no call but ``identity()`` and
/// ``mark(as:)`` reads or writes anything in another store.
///
/// Each call throws `MediaError`; ``MediaError/concernsWholeStore`` tells a store that is away from a file that is at fault.
package protocol MediaStore: Sendable {
    /// Where the store is, for people.
    var location: String { get }

    // MARK: Originals

    /// Stores a copy of the regular file at `path`. Makes the store if there is none yet.
    ///
    /// The stored bytes are the hashed bytes, even if another process writes to the file meanwhile.
    func putOriginal(fromFile path: String) async throws(MediaError) -> StoredOriginal

    /// Stores `bytes`. Makes the store if there is none yet.
    func putOriginal(bytes: [UInt8]) async throws(MediaError) -> StoredOriginal

    /// Makes an unnamed local file for a photo that arrives in pieces. Makes the store if there is none yet.
    func makeArrivingOriginal() async throws(MediaError) -> MediaFile

    /// Stores a file of ``makeArrivingOriginal()`` to which nobody writes any more.
    func publishOriginal(
        _ file: MediaFile, sha256: SHA256Digest, byteCount: Int64
    ) async throws(MediaError) -> StoredOriginal

    /// Opens an original for reading, and hashes the bytes that its descriptor gives if there are `expectedBytes` of them.
    ///
    /// - Parameter expectedSHA256: of the bytes. A store that bytes may be damaged on the way from reads them again if they
    ///   do not match.
    /// - Throws: `notFound` if no original has the key.
    func openOriginal(
        _ key: MediaKey, expectedBytes: Int64, expectedSHA256: SHA256Digest?
    ) async throws(MediaError) -> OpenedOriginal

    // MARK: Renditions

    /// Creates an unnamed local file to write a rendition to, open for reading and writing.
    func makeUnnamedRendition() async throws(MediaError) -> MediaFile

    /// Reads the rendition once, when nobody can write to it any more: exactly the bytes that pass `check` are hashed
    /// and published. Blocks: not for Swift's own threads.
    ///
    /// - Parameter limit: the most bytes; a larger file throws `io`.
    /// - Throws: `MediaError`, and what `check` throws.
    func sealRendition(
        _ file: MediaFile, atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> SealedRendition

    /// Gives the rendition its key: the hash of its bytes, with `fileExtension`, which is 1 to 8 lower-case letters or
    /// digits, without a dot.
    ///
    /// When this returns, the rendition is stored durably. When it throws because the store does not respond or the task
    /// is cancelled, the rendition may still be stored later.
    ///
    /// - Parameter ended: called when nothing more can happen to the file, possibly after this has thrown; not at all if
    ///   nothing began.
    func publishRendition(
        _ rendition: SealedRendition, fileExtension: String, ended: @escaping @Sendable () -> Void
    ) async throws(MediaError) -> StoredRendition

    // MARK: Any file

    /// The file with `key`; nil if there is none.
    func find(_ key: MediaKey) async throws(MediaError) -> StoredFile?

    /// Opens a rendition for reading, without looking at its bytes.
    ///
    /// - Throws: `notFound` if no rendition has the key.
    func openRendition(_ key: MediaKey) async throws(MediaError) -> MediaFile

    /// How many of the files are there, whatever store it is.
    ///
    /// - Throws: `unavailable` if there is nothing that could be a store: no directory, or no bucket.
    func countPresent(among keys: [MediaKey]) async throws(MediaError) -> Int

    /// Removes the file with `key`, if it was last stored at least `age` ago. The caller holds the key's lock.
    func remove(_ key: MediaKey, storedBefore age: Duration) async throws(MediaError) -> MediaRemoval

    /// Reads the whole file from where it is stored, past what memory still holds of it.
    func readBack(
        _ key: MediaKey
    ) async throws(MediaError) -> (byteCount: Int64, sha256: SHA256Digest)

    /// A walk through originals and renditions.
    func walk() -> any MediaWalk

    // MARK: Requests of others

    /// A request that stores exactly these bytes as an original, without passing through this process.
    ///
    /// - Parameter lifetime: in seconds, 1 to 604,800 (a week).
    /// - Throws: `unsupportedLocation` for a store that others cannot reach by HTTP.
    func signUpload(
        sha256: SHA256Digest, byteCount: Int64, lifetime: Int
    ) async throws(MediaError) -> (original: StoredOriginal, request: PresignedRequest)

    /// A request that reads an original; see ``signUpload(sha256:byteCount:lifetime:)``.
    func signDownload(of key: MediaKey, lifetime: Int) async throws(MediaError) -> PresignedRequest

    // MARK: Identity

    /// Checks what each job needs: that this is the store that the database has recorded.
    ///
    /// - Returns: the identity of the store. Nil if none exists yet: the database has recorded none, and this one holds no
    ///   files. The first original makes it.
    /// - Throws: `unavailable` for another, an empty or an absent store; `unconfirmed` if the database cannot be asked.
    @discardableResult
    func check() async throws(MediaError) -> String?

    /// The identity in the marker that is there now; nil without a marker.
    func identity() async throws(MediaError) -> String?

    /// Gives the store a marker if it has none. Only for a database that has recorded no store, or if an operator says that
    /// this is the store.
    ///
    /// - Parameter proposal: 16 hexadecimal digits, from the database.
    /// - Returns: the identity in the marker.
    func mark(as proposal: String) async throws(MediaError) -> String

    /// The same store, for use inside a transaction that has read the record: its calls do not ask the database, for which
    /// they would need a second connection.
    ///
    /// - Throws: `unavailable` if there is no store yet.
    func recorded(as record: RecordedIdentity) async throws(MediaError) -> Self

    // MARK: Probes

    /// Sees whether the store responds to writing, before this process writes to it: a process whose call hangs in a frozen
    /// disk cannot end.
    func requireResponse() async throws(MediaError)

    /// - Parameter isNeeded: whether a store that nothing has been stored in yet counts as away.
    /// - Throws: what reading an original would throw if the store is away.
    func probeReading(isNeeded: Bool) async throws(MediaError)

    /// Writes what jobs write, as durably, and reads it back.
    func probeWriting(isNeeded: Bool) async throws(MediaError)

    /// Opens as many descriptors at once as a few photos need.
    func probeDescriptors() async throws(MediaError)

    /// Tries what stores of this kind do differently, for people. Empty if there are no differences.
    func examine() async throws(MediaError) -> [StoreFinding]
}

/// What a store does in one respect.
package struct StoreFinding: Hashable, Sendable {
    package let what: String
    package let detail: String
    /// How to mend it; nil if all is well.
    package let remedy: String?
}

/// An original in the store.
package struct StoredOriginal: Hashable, Sendable {
    package let key: MediaKey
    package let sha256: SHA256Digest
    package let byteCount: Int64
}

/// The result of removing a file.
package enum MediaRemoval: Hashable, Sendable {
    case removed
    /// There is no such file.
    case absent
    /// It was stored too recently. It becomes old enough after this much longer, unless it is stored again.
    case tooRecent(Duration)
}

/// An original that is open for reading.
package struct OpenedOriginal: Sendable {
    package let file: MediaFile
    package let byteCount: Int64
    /// The digest of the bytes that `file` gives; nil if it does not have as many as expected.
    package let sha256: SHA256Digest?
}

/// Walks through all finished files of a store, a part at a time, so that only one part is in memory.
///
/// Files that come or go meanwhile may or may not be found.
package protocol MediaWalk: Sendable {
    /// The files of the next part, which may be none; nil at the end.
    mutating func next() async throws(MediaError) -> [StoredFile]?
}

/// A file that is in the store.
package struct StoredFile: Hashable, Sendable {
    package let key: MediaKey
    package let byteCount: Int64
    /// The time since it was last stored, by the store's clock. Far more than any limit if the store does not tell.
    package let age: Duration
    /// What an object store calls its bytes (`ETag`), which those who put or read them are told; nil in a directory.
    package var tag: String?
}

/// The database's part: records the identity that was found if none is recorded yet and the database has proposed it,
/// and returns the recorded one.
package typealias RecordIdentity = @Sendable (_ found: String?) async throws -> RecordedIdentity

extension MediaStore {
    /// Whether a file with `key` is there.
    package func contains(_ key: MediaKey) async throws(MediaError) -> Bool {
        try await find(key) != nil
    }

    /// Publishes a rendition whose caller need not know when a call that was given up has ended.
    package func publishRendition(
        _ rendition: SealedRendition, fileExtension: String
    ) async throws(MediaError) -> StoredRendition {
        try await publishRendition(rendition, fileExtension: fileExtension, ended: {})
    }
}
