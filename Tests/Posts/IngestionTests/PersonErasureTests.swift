import FoundationEssentials
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Erasure of a person", .timeLimit(.minutes(15)))
struct PersonErasureTests {
    static let person = "person-5d1f0c"
    static let words = "SECRET WORDS"

    @Test("leaves no name, words or files, wherever it is stopped", arguments: 0...7)
    func nothingLeft(stepsBeforeStop: Int) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let theirs = try await Self.live(in: library)
            let before = try await Self.counters(of: theirs.post, in: library)
            #expect(before == ["1 1 2"], "the person's like and comment are counted")
            let found = try await Self.tables(naming: Self.person, or: Self.words, in: library)
            let places = try await Self.tablesOfPersons(in: library)
            #expect(
                places.subtracting(found) == [], "the person must leave something in each of these tables too"
            )

            let people = PersonStore(pool: library.pool)
            let order = try await people.erase(Self.person, requestedBy: Self.person)
            #expect(try await people.erase(Self.person) == order, "twice is once")
            try await Self.suffer(stepsBeforeStop, order, people, library)
            try await library.run(.erasePerson, library.erasePerson)

            #expect(try await Self.tables(naming: Self.person, or: Self.words, in: library) == [])
            #expect(try await library.files() == theirs.files)
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 0)
            #expect(try #require(try await library.reading.post(theirs.post)).renditions.count == 1)
            #expect(try await Self.counters(of: theirs.post, in: library) == ["0 1 1"])
            let done = try #require(try await people.erasures(limit: 1).first)
            #expect(done.state == .finished && done.person == nil && done.finishedAt != nil)
            let counts = Dictionary(uniqueKeysWithValues: done.counts.map { ($0.what, $0.rows) })
            #expect(counts["posts"] == 2 && counts["uploads"] == 5 && counts["votes"] == 2)
            #expect(counts["comments"] == 2 && counts["reports"] == 2 && counts["decisions"] == 1)

            // The rows that had to stay have one pseudonym.
            let aliases = try await library.texts(
                """
                select reporter from darkroom.reports where reporter like 'erased-%'
                union select reporter from darkroom.moderation_evidence where reporter like 'erased-%'
                union select fair_key from darkroom.finished_jobs where fair_key like 'erased-%'
                """)
            #expect(aliases.count == 1)
            #expect(try await library.number("select count(*) from darkroom.moderation_evidence") == 1)
        }
    }

    /// Stops the erasure after some steps. The last two stops are a file that cannot be deleted and a running job.
    static func suffer(_ steps: Int, _ order: Int64, _ people: PersonStore, _ library: PhotoLibrary)
        async throws
    {
        if steps > 0 { _ = try await people.cancelJobs(order) }
        if steps > 1 { #expect(try await people.erasePost(order)) }
        if steps > 2 { while try await people.erasePost(order) {} }
        if steps > 3 { _ = try await people.eraseUploads(order) }
        if steps > 4 { _ = try await people.eraseReactions(order) }
        if steps > 5 { try await people.eraseRecord(order) }
        guard steps > 6 else { return }
        let retired = try await library.texts("select media_key from darkroom.retired_media order by 1")
        let path = "\(library.root)/\(try #require(retired.last ?? nil))"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let worker = try await library.database.worker()
        let job = try #require(
            try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePerson]).first)
        await #expect(throws: AttemptError.self) { try await library.finish(job, library.erasePerson) }
        #expect(try await people.erasures(limit: 1).first?.state == .running)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        try await library.database.store.end(
            job.lease, as: .returned(Reason(code: "shutdown", message: "stops")))
    }

    @Test(
        "waits for the person's running job, and for an original that was just stored",
        arguments: await StoreKind.exemplary())
    func waits(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            let running = try await library.enqueue("1", uploader: Self.person)
            let claimed = try await library.claim(running.job)
            let order = try await PersonStore(pool: library.pool).erase(Self.person)
            try await Self.expectNotYet("jobs_running", library)
            #expect(
                try await library.number("select count(*) from darkroom.jobs where cancel_requested") == 1)
            try await library.database.store.end(
                claimed.lease, as: .cancelled(Reason(code: "cancelled", message: "Cancelled.")))
            try await library.pool.query("update darkroom.settings set original_grace = '1 hour'")
            try await Self.expectNotYet("originals_spared", library)
            #expect(try await library.files().count == 1)
            try await library.pool.query("update darkroom.settings set original_grace = '0'")
            try await library.pool.query("update darkroom.retired_media set due_at = now()")
            try await library.pool.query("update darkroom.jobs set waits_for = null")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(try await library.files().isEmpty)
            #expect(try await PersonStore(pool: library.pool).erasures(limit: 1).first?.id == order)
        }
    }

    static func expectNotYet(_ code: String, _ library: PhotoLibrary) async throws {
        try await library.pool.query("update darkroom.jobs set waits_for = null where kind = 'erase_person'")
        let worker = try await library.database.worker()
        let job = try #require(
            try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePerson]).first)
        let error = await #expect(throws: AttemptError.self) {
            try await library.finish(job, library.erasePerson)
        }
        guard case .notYet(let reason, let delay)? = error?.failure else {
            Issue.record("it is not postponed: \(String(describing: error))")
            return
        }
        #expect(reason.code == code)
        try await library.database.store.end(job.lease, as: .snoozed(reason, delay: delay))
    }

    @Test("takes a reviewer's note even if the post was erased before")
    func noteOfErasedPost() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            _ = try await library.reviews.review(
                post, .remove(.terms(nil)), by: "olga", note: "ada is Jane Doe")
            _ = try await library.erasure.delete(post, of: "ada")
            try await library.run(.erasePost, library.erasePost)
            #expect(
                try await library.number(
                    "select count(*) from darkroom.moderation_decisions where note is not null") == 1)
            try await library.pool.query("select darkroom.erase_person('ada')")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(
                try await library.number(
                    "select count(*) from darkroom.moderation_decisions where note is not null") == 0)
            #expect(try await library.number("select count(*) from darkroom.moderation_decisions") == 1)
        }
    }

    @Test("is the only change that the moderation log allows")
    func appendOnly() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let decision = try await library.number(
                """
                insert into darkroom.moderation_decisions (post_id, decision, policy_version, reports, decider, note)
                values (1, 'approve', 1, 1, 'eve', 'a note') returning decision_id
                """)
            try await library.pool.query(
                "insert into darkroom.person_erasures (person, pseudonym, state) values ('eve', 'erased-1', 'running')"
            )
            for change in [
                "decider = 'bob'", "decider = null", "note = null", "note = 'another'", "reports = 2",
                "decider = 'erased-1', reports = 2",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(change)") {
                    try await library.pool.query(
                        "update darkroom.moderation_decisions set \(unescaped: change) where decision_id = \(decision)"
                    )
                }
                #expect(error?.sqlState == "23001")
            }
            for statement in [
                "delete from darkroom.moderation_decisions", "truncate darkroom.moderation_evidence",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await library.pool.query(PostgresQuery(unescaped: statement))
                }
                #expect(error?.sqlState == "23001")
            }
            try await library.pool.query("update darkroom.moderation_decisions set decider = 'erased-1'")
        }
    }
}
