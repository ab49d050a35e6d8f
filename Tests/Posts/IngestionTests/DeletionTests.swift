import FoundationEssentials
import Glibc
import Ingestion
import JobQueue
import JobStore
import MediaStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Deletion of a post by its uploader", .timeLimit(.minutes(15)))
struct DeletionTests {
    /// What interrupts the erasure.
    enum Fault: String, CaseIterable {
        case none, killedAfterOrder, killedAfterRows, killedAfterFile, undeletableFile, cancelled
    }

    @Test("leaves nothing behind, whatever fails in between", arguments: Fault.allCases)
    func nothingLeft(fault: Fault) async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let other = try await library.publish("other", ["shared", "other's"], uploader: "bob")
            let remaining = try await library.files()
            let post = try await library.publish("mine", ["shared", "mine"], caption: "my words")
            try await Self.react(to: post, in: library)
            #expect(try await library.erasure.delete(post, of: "ada"))
            #expect(
                try await library.texts("select state::text from darkroom.posts where post_id = \(post)") == [
                    "removed"
                ])
            try await Self.suffer(fault, post, in: library)
            try await library.run(.erasePost, library.erasePost)
            // The map's change names the post until the tally has added it.
            try await library.pool.query("select darkroom.tally_map()")

            #expect(try await library.files() == remaining)
            #expect(try await library.reading.post(post) == nil)
            #expect(
                try await Self.tablesNaming(post, in: library) == [
                    "moderation_decisions", "outbox", "post_erasures",
                ])
            #expect(
                try await library.number("select count(*) from darkroom.uploads where uploader = 'ada'") == 0)
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 0)
            #expect(
                try await library.texts(
                    "select event from darkroom.outbox where post_id = \(post) order by event_id")
                    == ["published", "commented", "removed"])
            #expect(try #require(try await library.reading.post(other)).renditions.count == 2)
        }
    }

    /// Everything that can be done with a post.
    static func react(to post: Int64, in library: PhotoLibrary) async throws {
        let comment = try await library.number(
            "select darkroom.add_comment(\(post), 'cleo', 'a word') as id")
        for query: PostgresQuery in [
            "select darkroom.vote_on_post(\(post), 'bob', 'like')",
            "select darkroom.vote_on_comment(\(comment), 'dan', 'like')",
            "select darkroom.count_views(array[\(post)::bigint])",
            "select darkroom.report_comment(\(comment), 'eve', 'spam', 'these words')",
            "select darkroom.report_post(\(post), 'eve', 'spam', 'these words')",
            "insert into darkroom.removed_hashes values (\(post) + 1000000, 5)",
            "insert into darkroom.comments (post_id, author, body, state, is_deleted, ended_at) values (\(post), 'fay', '-', 'removed', true, now())",
        ] {
            try await library.pool.query(query)
        }
        // An erasure waits for the weighing of reports.
        try await library.run(.moderate, library.moderate)
    }

    static func suffer(_ fault: Fault, _ post: Int64, in library: PhotoLibrary) async throws {
        let worker = try await library.database.worker()
        func stopped() async throws -> ClaimedJob {
            try #require(
                try await library.database.store.claim(limit: 1, worker: worker, kinds: [.erasePost]).first)
        }
        // The worker died: another one finds the job in the queue.
        func giveBack(_ job: ClaimedJob) async throws {
            try await library.database.store.end(
                job.lease, as: .returned(Reason(code: "shutdown", message: "stops")))
        }
        switch fault {
        case .none: return
        case .killedAfterOrder: try await giveBack(try await stopped())
        case .killedAfterRows:
            let job = try await stopped()
            #expect(try await library.erasure.eraseRows(of: post))
            try await giveBack(job)
        case .killedAfterFile:
            // The file is gone, but the transaction that records this is rolled back.
            let job = try await stopped()
            try await library.erasure.eraseRows(of: post)
            let key = try MediaKey(validating: try await library.rendition("mine").mediaKey)
            #expect(try await library.media.remove(key, storedBefore: .zero) == .removed)
            try await giveBack(job)
        case .undeletableFile:
            let job = try await stopped()
            let path = "\(library.root)/\(try await library.rendition("mine").mediaKey)"
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            await #expect(throws: AttemptError.self) { try await library.finish(job, library.erasePost) }
            #expect(try await library.number("select count(*) from darkroom.retired_media") == 1)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
            try await giveBack(job)
        case .cancelled:
            let job = try await stopped()
            let attempt = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await library.finish(job, library.erasePost)
            }
            await #expect(throws: (any Error).self) { try await attempt.value }
            try await giveBack(job)
        }
    }

    /// The tables with a row about the post, found by their columns.
    static func tablesNaming(_ post: Int64, in library: PhotoLibrary) async throws -> [String] {
        let tables = try await library.texts(
            """
            select distinct c.relname::text from pg_attribute a join pg_class c on c.oid = a.attrelid
            where c.relnamespace = 'darkroom'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
              and a.attname = 'post_id' and not a.attisdropped order by 1
            """)
        var naming: [String] = []
        for table in tables.compactMap(\.self) {
            let rows = try await library.pool.query(
                "select count(*) as rows from darkroom.\(unescaped: table) where post_id = \(post)")
            if try rows[0].decode("rows", as: Int.self) > 0 { naming.append(table) }
        }
        return naming
    }

    @Test("is possible only for the uploader, only once, and cannot be undone")
    func refusals() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            for (id, uploader) in [(post, "bob"), (post + 1, "ada")] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await library.erasure.delete(id, of: uploader)
                }
                #expect(error?.sqlState == "P0002")
            }
            #expect(try await library.erasure.delete(post, of: "ada"))
            #expect(try await !library.erasure.delete(post, of: "ada"))
            let error = await #expect(throws: PostgresError.self) {
                try await library.pool.query(
                    "update darkroom.posts set state = 'published' where post_id = \(post)")
            }
            #expect(error?.sqlState == "55000")
            #expect(try await library.number("select count(*) from darkroom.feed") == 0)
        }
    }

    @Test("keeps a removal on its uploader's record, and the photo's hash, until the uploader is erased")
    func removedBefore() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["mine"])
            _ = try await library.reviews.review(post, .remove(.terms(nil)), by: "reviewer")
            #expect(try await library.erasure.delete(post, of: "ada"))
            try await library.run(.erasePost, library.erasePost)
            #expect(try await library.reading.post(post) == nil)
            #expect(try await library.number("select count(*) from darkroom.removals") == 1)
            #expect(try await library.number("select count(*) from darkroom.removed_hashes") == 1)
            #expect(
                try await library.number("select count(*) from darkroom.outbox where event = 'removed'") == 1)

            _ = try await PersonStore(pool: library.pool).erase("ada")
            try await library.run(.erasePerson, library.erasePerson)
            #expect(try await library.number("select count(*) from darkroom.removals") == 0)
            #expect(try await library.number("select count(*) from darkroom.removed_hashes") == 0)
        }
    }
}

@Suite("A picture that two posts share", .timeLimit(.minutes(15)))
struct SharedPictureTests {
    @Test(
        "stays for the post that is being published while the other is erased",
        arguments: await StoreKind.exemplary())
    func publisherFirst(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            let first = try await library.publish("first", ["same"])
            let second = try await library.enqueue("second", uploader: "bob")
            let rendition = try await library.rendition("same")
            _ = try await library.erasure.delete(first, of: "ada")
            try await library.erasure.eraseRows(of: first)
            let eraser = MediaEraser(pool: library.pool, media: library.media)
            let erasing = try await library.pool.withTransaction { (transaction) async throws in
                _ = try await PublishingStore.publish(
                    PhotoLibrary.post(upload: second.upload, renditions: [rendition]), in: transaction)
                try await PictureStore.requireStored([rendition], in: library.media, transaction)
                let erasing = Task { try await eraser.erase(.ofPost(first)) }
                // Wait until the eraser waits for this transaction. The server also has the databases of other tests.
                while try await library.number(
                    """
                    select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                      and datname = current_database()
                    """) == 0
                {
                    try await Task.sleep(for: .milliseconds(1))
                }
                return erasing
            }
            let tally = try await erasing.value
            #expect(tally.kept == 1)
            #expect(try await library.media.contains(MediaKey(validating: rendition.mediaKey)))
        }
    }

    @Test("makes a post try again that comes after it is deleted", arguments: await StoreKind.exemplary())
    func eraserFirst(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            let first = try await library.publish("first", ["same"])
            let second = try await library.enqueue("second", uploader: "bob")
            let rendition = try await library.rendition("same")
            _ = try await library.erasure.delete(first, of: "ada")
            try await library.run(.erasePost, library.erasePost)
            let error = await #expect(throws: AttemptError.self) {
                try await library.pool.withTransaction { (transaction) async throws -> Void in
                    _ = try await PublishingStore.publish(
                        PhotoLibrary.post(upload: second.upload, renditions: [rendition]), in: transaction)
                    try await PictureStore.requireStored([rendition], in: library.media, transaction)
                }
            }
            guard case .notYet(let reason, _)? = error?.failure else {
                Issue.record("it is not tried again: \(String(describing: error))")
                return
            }
            #expect(reason.code == "rendition_erased")
            #expect(try await library.number("select count(*) from darkroom.posts") == 0)
        }
    }

    @Test(
        "exists whenever a post refers to it, however publishing and erasing overlap",
        arguments: await StoreKind.exemplary())
    func race(kind: StoreKind) async throws {
        try await PhotoLibrary.with(kind) { (library: PhotoLibrary) async throws -> Void in
            for round in 1...Extent.of(6, check: 25) {
                let first = try await library.publish("first \(round)", ["same"])
                let second = try await library.enqueue("second \(round)", uploader: "bob")
                _ = try await library.erasure.delete(first, of: "ada")
                async let erased: Void = library.run(.erasePost, library.erasePost)
                let rendition = try await library.rendition("same")
                var tries = 0
                while true {
                    do {
                        try await library.pool.withTransaction { (transaction) async throws -> Void in
                            _ = try await PublishingStore.publish(
                                PhotoLibrary.post(upload: second.upload, renditions: [rendition]),
                                in: transaction)
                            try await PictureStore.requireStored([rendition], in: library.media, transaction)
                        }
                        break
                    } catch is AttemptError {
                        tries += 1
                        _ = try await library.rendition("same")
                    }
                }
                try await erased
                #expect(try await library.media.contains(MediaKey(validating: rendition.mediaKey)))
                #expect(tries <= 1, "one erasure takes a file once")
                try await library.pool.query("delete from darkroom.jobs where subject_id = \(second.upload)")
                let post = try await library.number("select max(post_id) from darkroom.posts")
                _ = try await library.erasure.delete(Int64(post), of: "bob")
                try await library.run(.erasePost, library.erasePost)
            }
            #expect(try await library.files().isEmpty)
        }
    }

    @Test("counts missing files separately, and keeps files scheduled that cannot be deleted")
    func absentAndFaulty() async throws {
        try await PhotoLibrary.with { (library: PhotoLibrary) async throws -> Void in
            let post = try await library.publish("mine", ["there", "gone", "stuck 1", "stuck 2"])
            let renditions = try #require(try await library.reading.post(post)).renditions
            let keys = try renditions.map { try MediaKey(validating: $0.mediaKey) }
            _ = try await library.erasure.delete(post, of: "ada")
            try await library.erasure.eraseRows(of: post)
            #expect(try await library.media.remove(keys[1], storedBefore: .zero) == .removed)
            // A directory instead of a file.
            for key in keys[2...] {
                #expect(try await library.media.remove(key, storedBefore: .zero) == .removed)
                try #require(mkdir("\(library.root)/\(key)", 0o755) == 0)
            }
            let eraser = MediaEraser(pool: library.pool, media: library.media)
            let tally = try await eraser.erase(.ofPost(post))
            #expect(tally.removed > 0 && tally.absent == 1 && tally.kept == 0)
            #expect(tally.faults == 2 && tally.firstFault?.code == .notARegularFile)
            let stuck = try await library.texts(
                "select media_key from darkroom.retired_media where media_key like 'renditions/%'")
            #expect(Set(stuck) == Set(keys[2...].map(\.path)))
        }
    }
}
