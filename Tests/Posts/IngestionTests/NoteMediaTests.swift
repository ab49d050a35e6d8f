import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Noting pictures before they are stored", .timeLimit(.minutes(10)))
struct NoteMediaTests {
    /// What has happened since the job was claimed.
    enum Event: String, CaseIterable {
        case deleted, erased, personOrdered, cancelled, buried, uploadErased, uploaderOrdered

        var isOfUpload: Bool { self == .uploadErased || self == .uploaderOrdered }

        var refusal: UnpublishedMediaStore.Refusal {
            switch self {
            case .deleted, .erased: .postGone
            case .personOrdered, .uploaderOrdered, .cancelled: .cancelled
            case .buried: .leaseLost
            case .uploadErased: .uploadErased
            }
        }
    }

    @Test(
        "is refused once what they belong to is being erased, or the job is no longer the attempt's",
        arguments: Event.allCases)
    func refused(event: Event) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["old"])
            let job =
                event.isOfUpload
                ? try await library.claim(try await library.enqueue("second").job)
                : try await library.rerender(post)
            switch event {
            case .deleted: _ = try await library.erasure.delete(post, of: "ada")
            case .erased: try await library.erasure.eraseRows(of: post)
            case .personOrdered, .uploaderOrdered: _ = try await PersonStore(pool: library.pool).erase("ada")
            case .cancelled: _ = try await library.database.store.cancel(job.id)
            case .buried: try await library.database.bury(job.lease.worker)
            case .uploadErased:
                try await library.pool.query("delete from darkroom.uploads where upload_id = \(job.subject)")
            }
            #expect(try await library.unpublished.note(["renditions/x"], under: job.lease) == event.refusal)
            let files = try await library.files()
            await #expect(throws: (any Error).self) {
                try await library.store([try await library.picture("new")], under: job.lease) { _, _ in
                    Issue.record("it is published")
                }
            }
            #expect(try await library.files() == files, "nothing is stored")
            #expect(try await library.number("select count(*) from darkroom.unpublished_media") == 0)
        }
    }

    @Test("and the erasure of the post take turns, whichever comes first", arguments: [false, true])
    func turns(isErasureFirst: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["old"])
            let job = try await library.rerender(post)
            let note: PostgresQuery = """
                select darkroom.note_media(\(job.id.rawValue), \(job.lease.token.rawValue), array['renditions/x'])
                """
            let erasure: PostgresQuery = "select darkroom.erase_post_rows(\(post))"
            try await library.database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(isErasureFirst ? erasure : note)
                let waiting = try await second.start(isErasureFirst ? note : erasure)
                try await first.run("commit")
                try await waiting.value
            }
            #expect(try await library.erasure.stopRendering(of: post) == (isErasureFirst ? 0 : 1))
        }
    }

    @Test("gives way to whatever else holds the post, and so does an erasure")
    func givesWay() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            try await library.database.limitWaits()
            let post = try await library.publish("mine", ["old"])
            let order = try await PersonStore(pool: library.pool).erase("ada")
            try await library.database.withRivals { (app: Rival, erasing: Rival) async throws -> Void in
                try await app.run("begin")
                try await app.run("select from darkroom.posts where post_id = \(post) for key share")
                for query: PostgresQuery in [
                    "select darkroom.erase_post_rows(\(post))", "select darkroom.erase_person_post(\(order))",
                ] {
                    let error = await #expect(throws: PostgresError.self) { try await erasing.run(query) }
                    #expect(error?.sqlState == .lockNotAvailable)
                }
                try await app.run("commit")
            }
            try await library.run(.erasePerson, library.erasePerson)
            #expect(try await library.files().isEmpty)
        }
    }

    @Test("A waiting re-rendering is cancelled with its post")
    func waiting() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["old"])
            _ = try await library.rerendering.enqueue(
                RerenderScope(checksum: 1, post: post, again: true), after: 0, atMost: 10)
            _ = try await library.erasure.delete(post, of: "ada")
            try await library.run(.erasePost, library.erasePost)
            #expect(
                try await library.texts(
                    "select state::text from darkroom.finished_jobs where kind = 'rerender'")
                    == ["cancelled"])
        }
    }
}
