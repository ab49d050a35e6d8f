import FoundationEssentials
import Ingestion
import JobQueue
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

/// A library whose store is moved from one directory to another, as a process sees it that was given both.
struct MovedLibrary: Sendable {
    /// With both places.
    let library: PhotoLibrary
    /// A process that was given the present place alone.
    let plain: any MediaStore
    let old: String
    let new: String
    let migration: MediaMigrationStore

    var pool: PostgresPool { library.pool }
    var oldRoot: String { library.root }
    var newRoot: String { library.root + "-next" }

    static func with(_ body: (MovedLibrary) async throws -> Void) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let next = try MediaLocation.store(at: library.root + "-next") { _ in .none(proposal: "") }
            let proposal = try await library.texts("select proposal from darkroom.media_identity()")[0]
            let moved = MovedLibrary(
                library: PhotoLibrary(
                    database: library.database,
                    media: try MediaLocation.store(
                        at: library.root, next: library.root + "-next", recordedIn: library.pool),
                    root: library.root),
                plain: library.media, old: try #require(try await library.media.identity()),
                new: try await next.mark(as: try #require(proposal)),
                migration: MediaMigrationStore(pool: library.pool))
            try await body(moved)
        }
    }

    func begin() async throws {
        try #require(try await migration.begin(from: old, to: new, location: newRoot, by: "ada"))
        try await library.media.check()
    }

    func store(_ root: String, _ identity: String) async throws -> any MediaStore {
        try await MediaLocation.store(at: root) { _ in .none(proposal: "") }
            .recorded(as: .identity(identity))
    }

    func copy(filesAtOnce: Int = 2) async throws -> MediaCopy {
        MediaCopy(
            pool: pool, from: try await store(oldRoot, old), to: try await store(newRoot, new), identity: new,
            filesAtOnce: filesAtOnce)
    }

    func oldFiles() throws -> [String] { try filesBelow(oldRoot) }
    func newFiles() throws -> [String] { try filesBelow(newRoot) }

    /// Waits until a statement of this database waits for a lock.
    func waitForLock() async throws {
        while try await library.number(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        ) == 0 {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
