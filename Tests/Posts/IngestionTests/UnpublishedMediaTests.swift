import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Pictures that no row refers to yet", .timeLimit(.minutes(10)))
struct UnpublishedMediaTests {
    enum Order: String, CaseIterable { case post, person }

    /// A re-rendering that has stored its pictures and does not go on until the test says so.
    private static func withHeldRerendering(
        of post: Int64, _ library: PhotoLibrary,
        _ body: (_ job: ClaimedJob) async throws -> Void
    ) async throws -> Result<Void, any Error> {
        let job = try await library.rerender(post)
        let picture = try await library.picture("new")
        let (stored, isStored) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let attempt = Task {
            try await library.store([picture], under: job.lease) { pictures, renditions in
                isStored.finish()
                // Not ended by a cancellation: the attempt may be past the point where it would notice.
                await Task { for await _ in released {} }.value
                try await library.swap(post, to: renditions, of: pictures, under: job.lease)
            }
        }
        for await _ in stored {}
        let result: Result<Void, any Error>
        do { result = .success(try await body(job)) } catch { result = .failure(error) }
        release.finish()
        let end = await attempt.result
        try result.get()
        return end
    }

    @Test("are waited for by the erasure of their post and of their uploader", arguments: Order.allCases)
    func held(order: Order) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let person = PersonErasureTests.person
            let post = try await library.publish("mine", ["old"], uploader: person)
            let ended = try await Self.withHeldRerendering(of: post, library) { (job: ClaimedJob) in
                #expect(try await library.files().count == 3, "the original, the old picture and the new one")
                switch order {
                case .post:
                    _ = try await library.erasure.delete(post, of: person)
                    try await library.expectNotYet("jobs_running", .erasePost, library.erasePost)
                case .person:
                    _ = try await PersonStore(pool: library.pool).erase(person)
                    try await library.expectNotYet("jobs_running", .erasePerson, library.erasePerson)
                }
                #expect(
                    try await library.texts(
                        "select job_id::text from darkroom.jobs where cancel_requested")
                        == [String(job.id.rawValue)], "it is asked to stop")
                #expect(
                    try await library.number(
                        "select count(*) from darkroom.person_erasures where state = 'finished'")
                        == 0)
            }
            #expect(throws: PostError.self) { try ended.get() }
            try await library.pool.query("delete from darkroom.jobs where kind = 'rerender'")
            switch order {
            case .post: try await library.run(.erasePost, library.erasePost)
            case .person: try await library.run(.erasePerson, library.erasePerson)
            }
            #expect(try await library.files().isEmpty)
            #expect(try await library.listed() == 0)
            #expect(
                try await DeletionTests.tablesNaming(post, in: library) == [
                    "map_changes", "outbox", "post_erasures",
                ])
            if order == .person {
                #expect(try await PersonErasureTests.tables(naming: person, or: person, in: library) == [])
            }
        }
    }

    @Test("are published in one transaction with the end of their note; an erasure then finds all files")
    func published() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["old"])
            let job = try await library.rerender(post)
            let noted: PostgresQuery = """
                select concat_ws(' ', post_id, upload_id, uploader, cardinality(media_keys)) from darkroom.unpublished_media
                """
            try await library.store([try await library.picture("new")], under: job.lease) {
                pictures, renditions in
                #expect(try await library.texts(noted) == ["\(post) 1 ada 1"])
                let (_, tally) = try await SweepTests.sweep(library)
                #expect(tally.unreferred == 0, "a sweep knows them")
                try await library.swap(post, to: renditions, of: pictures, under: job.lease)
            }
            #expect(try await library.texts(noted) == [])
            #expect(
                try await library.texts("select uploader || ' ' || post_id from darkroom.retired_media")
                    == ["ada \(post)"], "the old picture is kept for a day")
            _ = try await library.erasure.delete(post, of: "ada")
            try await library.run(.erasePost, library.erasePost)
            #expect(try await library.files().isEmpty)
            #expect(try await library.listed() == 0)
        }
    }

    enum Failure: String, CaseIterable { case cancelled, publishFails, leaseLost }

    @Test(
        "are deleted if their attempt fails after storing them, unless another post has the same",
        arguments: Failure.allCases, [false, true])
    func failed(failure: Failure, isShared: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let (job, upload) = try await library.enqueue("mine")
            let claimed = try await library.claim(job)
            let picture = try await library.picture("picture")
            if isShared { _ = try await library.publish("other's", ["picture"], uploader: "bob") }
            let attempt = Task {
                try await library.store([picture], under: claimed.lease) { pictures, renditions in
                    switch failure {
                    case .cancelled:
                        withUnsafeCurrentTask { $0?.cancel() }
                        try Task.checkCancellation()
                    case .publishFails: throw AttemptError.rejected("test", "Test.")
                    case .leaseLost:
                        // Another worker takes the attempt for dead, and the files are deleted. Then it goes on.
                        try await library.database.bury(claimed.lease.worker)
                        try await OriginalsTests.erase(in: library)
                        #expect(
                            try await library.number("select count(*) from darkroom.unpublished_media") == 0)
                        #expect(try await library.files().count == (isShared ? 3 : 1))
                        _ = try await library.rendition("picture")
                        try await library.pool.withTransaction { (transaction) async throws -> Void in
                            _ = try await PublishingStore.publish(
                                PhotoLibrary.post(upload: upload, renditions: renditions), in: transaction)
                            try await UnpublishedMediaStore.forget(claimed.lease, in: transaction)
                            try await JobStore.end(claimed.lease, as: .succeeded, in: transaction)
                        }
                    }
                }
            }
            await #expect(throws: (any Error).self) { try await attempt.value }
            #expect(try await library.number("select count(*) from darkroom.unpublished_media") == 0)
            try await OriginalsTests.erase(in: library)
            #expect(try await library.listed() == 0)
            #expect(try await library.files().count == (isShared ? 3 : 1))
            #expect(try await SweepTests.sweep(library).findings.isEmpty)
        }
    }

    @Test("of an earlier attempt go with the post that a later one published", arguments: [false, true])
    func earlierAttempt(isDead: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let (job, upload) = try await library.enqueue("mine")
            let first = try await library.claim(job)
            let left = try await library.rendition("by an older recipe")
            #expect(try await library.unpublished.note([left.mediaKey], under: first.lease) == nil)
            if !isDead { try await library.unpublished.abandon([left.mediaKey], under: first.lease) }
            try await library.database.bury(first.lease.worker)
            let second = try await library.claim(job)
            try await library.store([try await library.picture("new")], under: second.lease) {
                pictures, renditions in
                try await library.pool.withTransaction { (transaction) async throws -> Void in
                    _ = try await PublishingStore.publish(
                        PhotoLibrary.post(upload: upload, renditions: renditions), in: transaction)
                    try await UnpublishedMediaStore.forget(second.lease, in: transaction)
                    try await JobStore.end(second.lease, as: .succeeded, in: transaction)
                }
            }
            let post = Int64(try await library.number("select post_id from darkroom.posts"))
            #expect(try await library.listed() == 1)
            _ = try await library.erasure.delete(post, of: "ada")
            try await library.run(.erasePost, library.erasePost)
            #expect(try await library.files().isEmpty)
            #expect(try await library.listed() == 0)
        }
    }

    @Test("do not appear after their attempt gave them up, whenever it is cancelled")
    func cancelledMeanwhile() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            for round in 0..<20 {
                let claimed = try await library.claim(try await library.enqueue("\(round)").job)
                var pictures: [PictureStore.Picture] = []
                for number in 0..<16 {
                    pictures.append(try await library.picture("\(round) \(number)", name: "r\(number)"))
                }
                let ready = pictures
                let attempt = Task {
                    try await library.store(ready, under: claimed.lease) { _, _ in
                        throw AttemptError.rejected("test", "Test.")
                    }
                }
                // The system's calls for the first files are under way.
                while try await library.renditions() == 0 { try await Task.sleep(for: .microseconds(100)) }
                attempt.cancel()
                await #expect(throws: (any Error).self) { try await attempt.value }
                _ = try await MediaEraser(pool: library.pool, media: library.media).erase(.due)
                try await library.database.store.end(
                    claimed.lease, as: .cancelled(Reason(code: "test", message: "Test.")))
            }
            #expect(try await library.listed() == 0)
            #expect(try await library.renditions() == 0)
        }
    }

    @Test("are deleted by the next run if their worker died, and left alone while it lives")
    func dead() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let claimed = try await library.claim(try await library.enqueue("mine").job)
            let stored = try await library.rendition("picture")
            #expect(try await library.unpublished.note([stored.mediaKey], under: claimed.lease) == nil)
            try await OriginalsTests.erase(in: library)
            #expect(try await library.files().count == 2)
            try await library.database.bury(claimed.lease.worker)
            try await OriginalsTests.erase(in: library)
            #expect(try await library.files().count == 1, "the original")
            #expect(try await library.listed() == 0)
        }
    }

    @Test(
        "are waited for by an erasure if their worker died in the middle of publishing them",
        arguments: Order.allCases)
    func diedPublishing(order: Order) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["old"])
            let job = try await library.rerender(post)
            let stored = try await library.rendition("new")
            #expect(try await library.unpublished.note([stored.mediaKey], under: job.lease) == nil)
            try await library.pool.query(
                "update darkroom.jobs set cancel_requested = true where kind = 'rerender'")
            try await library.database.bury(job.lease.worker)
            switch order {
            case .post:
                _ = try await library.erasure.delete(post, of: "ada")
                try await library.run(.erasePost, library.erasePost)
            case .person:
                _ = try await PersonStore(pool: library.pool).erase("ada")
                try await library.run(.erasePerson, library.erasePerson)
            }
            #expect(try await library.files().isEmpty)
            #expect(try await library.listed() == 0)
        }
    }
}
