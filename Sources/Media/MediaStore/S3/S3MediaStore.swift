import Digests
package import ObjectStorage

/// Photos and their renditions in a bucket of an S3-compatible object store.
///
/// ## Layout
///
/// The keys are those of a local store's files, below the location's prefix: `originals/ab/cd/<hash>`,
/// `renditions/ab/cd/<hash>.<extension>`, and the marker `originals/.darkroom-store`. To store an original, put the object
/// with the SHA-256 of its bytes, which the store checks; putting it again is harmless and renews its time.
///
/// ## What it asks of the store
///
/// An object that was put is there for the next GET and HEAD. Nothing else: no list need be up to date, nothing is renamed,
/// and no PUT is conditional, because some stores let several racing writers win. Every object is named by its bytes, so
/// writers of one key write the same; what must happen once is decided in PostgreSQL.
///
/// ## Age
///
/// A PUT of the same bytes renews `Last-Modified`, so storing a file always puts it, although it may be there. Ages are
/// differences of two times of the store: this machine's clock does not matter. Between the look at an object's age and its
/// removal passes a round trip, in which no store can be stopped from taking a PUT. For a rendition the transaction that
/// publishes it, under the key's lock, sees that it is gone. An original that nothing has referred to for the whole grace
/// period, and that is put again in just this moment, is lost: its uploader is asked for it again.
package struct S3MediaStore: IdentifiedStore {
    package var location: String { objects.location.description }
    let objects: ObjectStore
    let scratch: ScratchDirectory
    let record: RecordIdentity
    let known: KnownIdentity
    let seen: SeenMarker

    /// - Parameter location: `s3://BUCKET/PREFIX?endpoint=…&region=…&style=…`. The keys to it come from where Amazon's tools
    ///   look for them.
    package init(location: String, record: @escaping RecordIdentity) throws(MediaError) {
        do {
            let parsed = try ObjectStoreLocation(location)
            self.init(try ObjectStore(parsed, credentials: CredentialSource()), record: record)
        } catch {
            throw MediaError(error, path: MediaLocation.path)
        }
    }

    package init(_ objects: ObjectStore, record: @escaping RecordIdentity) {
        self.init(objects, scratch: ScratchDirectory(), record: record)
    }

    init(_ objects: ObjectStore, scratch: ScratchDirectory, record: @escaping RecordIdentity) {
        self.objects = objects
        self.scratch = scratch
        self.record = record
        known = KnownIdentity()
        seen = SeenMarker()
    }

    private init(_ store: S3MediaStore, identity: String) {
        objects = store.objects
        scratch = store.scratch
        record = { _ in .identity(identity) }
        known = KnownIdentity(identity)
        seen = store.seen
    }

    func recorded(as identity: String) -> S3MediaStore { S3MediaStore(self, identity: identity) }

    /// Calls the client; its errors become those of a media store.
    func request<Value>(
        _ key: MediaKey? = nil, _ body: () async throws -> Value
    ) async throws(MediaError) -> Value {
        do {
            return try await body()
        } catch {
            throw MediaError(error, path: key?.path ?? location)
        }
    }

    func name(_ key: MediaKey) throws(MediaError) -> ObjectKey { try name(key.path) }

    func name(_ path: String) throws(MediaError) -> ObjectKey {
        do { return try ObjectKey(path) } catch { throw MediaError(error, path: path) }
    }
}
