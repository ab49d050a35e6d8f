import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import Telemetry
import TestKit
import Testing

@Suite("Originals", .timeLimit(.minutes(15)))
struct OriginalsTests {
    /// The state of an old upload's job, and whether its original is kept.
    static let jobs: [(JobState, Bool)] = [
        (.waiting, true), (.running, true), (.failed, true), (.succeeded, false), (.rejected, false),
        (.cancelled, false),
    ]

    @Test("are erased when they are old, except those that a job may still need", arguments: jobs)
    func byState(state: JobState, isKept: Bool) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let (job, upload) = try await library.enqueue("photo")
            let reason = Reason(code: "test", message: "Test.")
            if state != .waiting {
                let claimed = try await library.claim(job)
                let outcome: Outcome? =
                    switch state {
                    case .succeeded: .succeeded
                    case .rejected: .rejected(reason)
                    case .failed: .failed(reason)
                    case .cancelled: .cancelled(reason)
                    default: nil
                    }
                if let outcome { try await library.database.store.end(claimed.lease, as: outcome) }
            }
            // Six days are not enough.
            try await Self.age(upload, days: 6, in: library)
            try await Self.erase(in: library)
            #expect(try await library.files().count == 1)
            try await Self.age(upload, days: 8, in: library)
            try await Self.erase(in: library)
            #expect(try await library.files().count == (isKept ? 1 : 0))
            #expect(
                try await library.number(
                    "select count(*) from darkroom.uploads where original_erased_at is not null")
                    == (isKept ? 0 : 1))
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 0)
        }
    }

    static func age(_ upload: Int64, days: Int, in library: PhotoLibrary) async throws {
        try await library.pool.query(
            "update darkroom.uploads set created_at = now() - make_interval(days => \(days)) where upload_id = \(upload)"
        )
    }

    static func erase(in library: PhotoLibrary) async throws {
        try await library.pool.query("select darkroom.enqueue_job('erase_originals', 0, 'upkeep')")
        try await library.run(.eraseOriginals, library.eraseOriginals)
    }

    @Test("stay while a rerender job waits, runs or will be retried", arguments: await StoreKind.exemplary())
    func rerendered(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("photo", ["picture"])
            try await Self.age(
                try #require(try await library.reading.post(post)).upload, days: 8, in: library)
            #expect(
                try await library.rerendering.enqueue(RerenderScope(checksum: 1), after: 0, atMost: 10)?
                    .queued
                    == 1)
            try await Self.erase(in: library)
            #expect(try await library.files().count == 2, "waits")
            let worker = try await library.database.worker()
            let job = try #require(
                try await library.database.store.claim(limit: 1, worker: worker, kinds: [.rerender]).first)
            try await Self.erase(in: library)
            #expect(try await library.files().count == 2, "runs")
            try await library.database.store.end(
                job.lease, as: .retry(Reason(code: "test", message: "Test."), delay: .seconds(60)))
            try await Self.erase(in: library)
            #expect(try await library.files().count == 2, "must be tried again")
            try await library.pool.query("delete from darkroom.jobs where kind = 'rerender'")
            try await Self.erase(in: library)
            #expect(try await library.files().count == 1)
        }
    }

    @Test(
        "stay while another upload has the same bytes, and go with the last",
        arguments: await StoreKind.exemplary())
    func shared(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            for number in 1...5 {
                try await library.publish("same", ["picture \(number)"], uploader: "u\(number)")
            }
            let uploads = try await library.texts("select upload_id::text from darkroom.uploads order by 1")
                .compactMap { $0.flatMap { Int64($0) } }
            for upload in uploads.dropLast() { try await Self.age(upload, days: 8, in: library) }
            try await Self.erase(in: library)
            #expect(try await library.files().count == 6)
            try await Self.age(try #require(uploads.last), days: 8, in: library)
            try await Self.erase(in: library)
            #expect(try await library.files().count == 5, "the pictures stay")
        }
    }

    @Test("that were just stored again stay until their grace period is over")
    func grace() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("same", ["picture"])
            let upload = try #require(try await library.reading.post(post)).upload
            try await Self.age(upload, days: 8, in: library)
            try await library.pool.query("update darkroom.settings set original_grace = '1 hour'")
            try await Self.erase(in: library)
            #expect(try await library.files().count == 2)
            #expect(
                try await library.number(
                    """
                    select count(*) from darkroom.retired_media
                    where due_at between now() + interval '50 minutes' and now() + interval '1 hour'
                    """) == 1)
            // Somebody stores it again for another upload.
            _ = try await library.enqueue("same", uploader: "bob")
            try await library.pool.query("update darkroom.settings set original_grace = '0'")
            try await library.pool.query("update darkroom.retired_media set due_at = now()")
            try await Self.erase(in: library)
            #expect(try await library.files().count == 2)
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 0)
        }
    }
}
