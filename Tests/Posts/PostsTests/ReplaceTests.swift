import Postgres
import Posts
import TestKit
import Testing

@Suite("A post that replaces another one of its uploader", .timeLimit(.minutes(15)))
struct ReplaceTests {
    /// An old post, and a new one that waits for a review and replaces it.
    private static func held(in database: QueueDatabase) async throws -> (old: Int64, new: Int64) {
        let old = try await PublishingTests.publish(in: database)
        return (old, try await held(in: database, replacing: old))
    }

    private static func held(in database: QueueDatabase, replacing old: Int64) async throws -> Int64 {
        let new = try await PublishingTests.publish(in: database)
        try await database.pool.query("update darkroom.posts set state = 'held' where post_id = \(new)")
        try await database.pool.query(
            """
            update darkroom.uploads set replaces = \(old)
            where upload_id = (select upload_id from darkroom.posts where post_id = \(new))
            """)
        return new
    }

    private static func decide(_ decision: String, on post: Int64, in database: QueueDatabase) async throws {
        try await database.pool.query(
            """
            select from darkroom.decide_on_post(
                \(post), \(decision), 'olga', note => 'Looked at', terms => \(decision == "remove" ? "section 4" : nil))
            """)
    }

    @Test("does so when a person approves it, not before, and once")
    func approved() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (old, new) = try await Self.held(in: database)
            #expect(try await database.state(ofPost: old) == .published)
            try await Self.decide("approve", on: new, in: database)
            #expect(try await database.state(ofPost: new) == .published)
            #expect(try await database.state(ofPost: old) == .removed)
            #expect(try await database.events(of: old).last == "removed")
            // It may be hidden and come back.
            for state in ["hidden", "published"] {
                try await database.pool.query(
                    "update darkroom.posts set state = \(state)::darkroom.post_state where post_id = \(new)")
            }
            #expect(try await database.events(of: old) == ["published", "removed"])
        }
    }

    @Test("does so also with what that one replaces, though nobody ever saw it")
    func chain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (old, middle) = try await Self.held(in: database)
            let last = try await Self.held(in: database, replacing: middle)
            try await Self.decide("approve", on: last, in: database)
            #expect(try await database.state(ofPost: old) == .removed)
            #expect(try await database.state(ofPost: middle) == .removed)
            #expect(try await database.state(ofPost: last) == .published)
        }
    }

    @Test("does so with earlier ones that replace the same post, and with those that replace them")
    func siblings() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (old, first) = try await Self.held(in: database)
            let second = try await Self.held(in: database, replacing: first)
            let third = try await Self.held(in: database, replacing: old)
            try await Self.decide("approve", on: third, in: database)
            for post in [old, first, second] {
                #expect(try await database.state(ofPost: post) == .removed)
            }
            #expect(try await database.state(ofPost: third) == .published)
        }
    }

    @Test("never goes because of one that was uploaded earlier and is published later")
    func late() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let old = try await PublishingTests.publish(in: database)
            let early = try await PublishingTests.publish(in: database)
            let new = try await Self.held(in: database, replacing: old)
            try await Self.decide("approve", on: new, in: database)
            try await database.pool.query("update darkroom.posts set state = 'held' where post_id = \(early)")
            try await database.pool.query(
                """
                update darkroom.uploads set replaces = \(old)
                where upload_id = (select upload_id from darkroom.posts where post_id = \(early))
                """)
            try await Self.decide("approve", on: early, in: database)
            #expect(try await database.state(ofPost: early) == .published)
            #expect(try await database.state(ofPost: new) == .published)
            try await Self.decide("remove", on: early, in: database)
            #expect(try await database.state(ofPost: new) == .published)
        }
    }

    @Test("leaves one that was removed, so that its uploader can appeal")
    func removed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (old, new) = try await Self.held(in: database)
            try await Self.decide("remove", on: old, in: database)
            try await Self.decide("approve", on: new, in: database)
            let erasures = try await database.pool.query("select from darkroom.post_erasures")
            #expect(erasures.isEmpty)
        }
    }

    @Test("is refused if two of one call replace the same")
    func twice() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let old = try await PublishingTests.publish(in: database)
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_uploads((
                        select jsonb_agg(jsonb_build_object(
                            'uploader', p.uploader, 'headline', 'Here ' || n, 'latitude', 47, 'longitude', -122,
                            'replaces', p.post_id))
                        from darkroom.posts p, generate_series(1, 2) n where p.post_id = \(old)))
                    """)
            }
            #expect(error?.constraint == "one_upload_replaces_a_post")
        }
    }

    @Test("is locked after it by whoever decides, so that two who decide do not deadlock")
    func order() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (old, new) = try await Self.held(in: database)
            func removal(of post: Int64) -> PostgresQuery {
                "select from darkroom.decide_on_post(\(post), 'remove', 'olga', note => 'Looked at', terms => 'section 4')"
            }
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                try await first.run("begin")
                try await first.run(removal(of: old))
                let waiting = try await second.start(
                    "select from darkroom.decide_on_post(\(new), 'approve', 'pia')")
                try await first.run(removal(of: new))
                try await first.run("commit")
                let error = await #expect(throws: PostgresError.self) { try await waiting.value }
                #expect(error?.constraint == "nobody_decided_meanwhile")
            }
            #expect(try await database.state(ofPost: old) == .removed)
            #expect(try await database.state(ofPost: new) == .removed)
        }
    }

    @Test(
        "leaves it if a person removes the new one, or it belongs to somebody else by then",
        arguments: [true, false])
    func refused(isRemoved: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (old, new) = try await Self.held(in: database)
            if !isRemoved {
                try await database.pool.query(
                    "update darkroom.posts set uploader = 'eve' where post_id = \(old)")
            }
            try await Self.decide(isRemoved ? "remove" : "approve", on: new, in: database)
            #expect(try await database.state(ofPost: old) == .published)
            #expect(try await database.state(ofPost: new) == (isRemoved ? .removed : .published))
        }
    }
}
