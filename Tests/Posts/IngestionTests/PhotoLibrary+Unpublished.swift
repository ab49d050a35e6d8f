import Glibc
import Imaging
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

extension PhotoLibrary {
    var unpublished: UnpublishedMediaStore { UnpublishedMediaStore(pool: pool) }

    /// A picture that a renderer has made and that is not stored yet.
    func picture(_ content: String, name: String = "large") async throws -> PictureStore.Picture {
        let bytes = Array(content.utf8)
        let file = try await media.makeUnnamedRendition()
        try #require(Glibc.write(file.descriptor, bytes, bytes.count) == bytes.count)
        return PictureStore.Picture(
            format: .jpeg, image: RenderedImage(name: name, width: 10, height: 10, bytes: bytes.count),
            file: try media.sealRendition(file, atMost: bytes.count) { _ in })
    }

    /// Stores pictures, and then calls `publish`, as handlers do.
    func store(
        _ pictures: [PictureStore.Picture], under lease: Lease,
        publish: (PictureStore, [PostRendition]) async throws -> Void
    ) async throws {
        let store = PictureStore(pool: pool, media: media, lease: lease)
        do {
            try await publish(store, try await store.store(pictures))
        } catch {
            await store.giveUp()
            throw error
        }
    }

    /// A claimed job that renders a post again.
    func rerender(_ post: Int64) async throws -> ClaimedJob {
        _ = try await rerendering.enqueue(
            RerenderScope(checksum: 1, post: post, again: true), after: 0, atMost: 10)
        return try #require(
            try await database.store.claim(limit: 1, worker: try await database.worker(), kinds: [.rerender])
                .first)
    }

    /// Ends a re-rendering, as its handler does.
    func swap(
        _ post: Int64, to renditions: [PostRendition], of pictures: PictureStore, under lease: Lease
    ) async throws {
        try await pool.withTransaction { (transaction) async throws -> Void in
            try await RerenderingStore.replacePictures(
                of: post, by: renditions, placeholder: nil, perceptualHash: nil, renderedWith: 1,
                in: transaction)
            try await pictures.handOver(in: transaction)
            try await JobStore.end(lease, as: .succeeded, in: transaction)
        }
    }

    /// Runs the next job of a kind, which must come back later, and lets it come back at once.
    func expectNotYet(_ code: String, _ kind: JobKind, _ handler: some JobHandler) async throws {
        let worker = try await database.worker()
        let job = try #require(
            try await database.store.claim(limit: 1, worker: worker, kinds: [kind]).first)
        let error = await #expect(throws: AttemptError.self) { try await finish(job, handler) }
        guard case .notYet(let reason, _)? = error?.failure else {
            Issue.record("it is not postponed: \(String(describing: error))")
            return
        }
        #expect(reason.code == code)
        try await database.store.end(job.lease, as: .snoozed(reason, delay: .zero))
        try await pool.query("update darkroom.jobs set waits_for = null where kind = \(kind.rawValue)")
    }

    /// How many pictures are stored.
    func renditions() async throws -> Int { try await files().count { $0.hasPrefix("renditions/") } }

    /// The lists of files that no row refers to.
    func listed() async throws -> Int {
        try await number(
            """
            select (select count(*) from darkroom.unpublished_media) + (select count(*) from darkroom.retired_media)
            """)
    }
}
