import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// What happens to an uploader because of others: rejections, likes, answers.
@Suite("Events for the uploader", .timeLimit(.minutes(15)))
struct UploaderEventTests {
    /// Counts, tells, numbers, and returns the events that have come since.
    private static func events(_ database: QueueDatabase) async throws -> [OutboxEvent] {
        let store = EventStore(pool: database.pool)
        try await database.pool.query("select darkroom.tally_counters()")
        try await database.pool.query("select darkroom.notify_of_likes()")
        try await database.pool.query("select darkroom.tally_map()")
        try await database.pool.query("select darkroom.notify_of_events()")
        try await database.pool.query("select darkroom.fill_inboxes()")
        let events = try await store.events(for: "push", limit: 1000)
        if let newest = events.last { try await store.acknowledge(newest.number, for: "push") }
        return events
    }

    private static func vote(_ voters: [String], _ vote: String?, _ database: QueueDatabase) async throws {
        try await database.pool.query(
            "select darkroom.vote_on_post(1, v, \(vote ?? "none")) from unnest(\(voters)::text[]) v")
    }

    /// Makes one post of user-0 or so, registers the consumer, and returns whose the post is.
    private static func prepare(_ database: QueueDatabase) async throws -> String {
        try await database.publishPosts(1, areVotedOn: false)
        try await EventStore(pool: database.pool).addConsumer("push")
        return try await database.pool.query("select uploader from darkroom.posts where post_id = 1")[0]
            .decode("uploader", as: String.self)
    }

    /// Claims the job that waits, so that it runs.
    private static func claim(_ database: QueueDatabase) async throws -> Int64 {
        try await database.claimOne().lease.job.rawValue
    }

    /// Ends the jobs that run.
    private static func finish(
        _ state: String, reason: String = "no_location", on connection: PostgresConnection
    )
        async throws
    {
        try await connection.query(
            """
            select darkroom.finish_jobs(array[j.job_id], array[j.lease], \(state)::darkroom.job_state, \(reason), 'Message.')
            from darkroom.jobs j where j.lease is not null
            """)
    }

    @Test("a rejection is told for every kind of job that turns an upload into a post")
    func kinds() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await EventStore(pool: database.pool).addConsumer("push")
            let kinds = try await database.texts(
                "select kind from darkroom.job_kinds where darkroom.ingests(kind) order by kind")
            #expect(kinds == ["ingest", "ingest_text"])
            try await database.pool.query(
                "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1)")
            try await database.pool.query(
                "select darkroom.enqueue_upload('ada', headline => 'Hello', place_text => 'Atlantis')")
            let worker = try await database.worker(concurrency: 10)
            for kind in kinds.compactMap(\.self) {
                let jobs = try await database.store.claim(
                    limit: 1, worker: worker, kinds: [JobKind(rawValue: kind)].compactMap(\.self))
                #expect(jobs.count == 1, "\(kind)")
            }
            try await database.pool.withConnection {
                try await Self.finish("rejected", reason: "place_unknown", on: $0)
            }
            let events = try await Self.events(database)
            #expect(events.map(\.event) == ["rejected", "rejected"])
            let told = try await database.texts(
                "select concat_ws(' ', event, reason) from darkroom.inbox('ada')")
            #expect(told == ["rejected place_unknown", "rejected place_unknown"])
        }
    }

    @Test("a rejection comes once, with the job and the reason, and commits with the job's end")
    func rejected() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await EventStore(pool: database.pool).addConsumer("push")
            try await database.pool.query(
                "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1)")
            let job = try await Self.claim(database)
            let leases = try await database.pool.query("select lease from darkroom.jobs")
            let lease = try leases[0].decode("lease", as: Int64.self)
            // An end that does not commit tells nothing.
            let undone = try await PostgresConnection.connect(database.configuration)
            try await undone.query("begin")
            try await Self.finish("rejected", on: undone)
            try await undone.query("rollback")
            await undone.close()
            #expect(try await Self.events(database).isEmpty)
            try await database.pool.withConnection { (connection: PostgresConnection) async throws -> Void in
                try await Self.finish("rejected", on: connection)
                // The lease is no longer the job's.
                try await connection.query(
                    "select darkroom.finish_jobs(array[\(job)::bigint], array[\(lease)::bigint], 'rejected', 'late', '')"
                )
            }
            let events = try await Self.events(database)
            #expect(events.map(\.event) == ["rejected"])
            #expect(events.first?.post == nil && events.first?.job == job)
            #expect(events.first?.uploader == "ada" && events.first?.reason == "no_location")

            try await database.pool.query("select darkroom.replay_jobs(array[\(job)::bigint], 'olga')")
            #expect(try await Self.claim(database) == job)
            try await database.pool.withConnection {
                try await Self.finish("rejected", reason: "original_erased", on: $0)
            }
            #expect(try await Self.events(database).isEmpty, "told before")
        }
    }

    @Test(
        "no other end of a job is told, and no rejection of another job",
        arguments: ["succeeded", "failed", "cancelled"])
    func otherEnds(state: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await EventStore(pool: database.pool).addConsumer("push")
            try await database.pool.query(
                "select darkroom.enqueue_upload('ada', 'originals/a', repeat('ab', 32), 1)")
            _ = try await Self.claim(database)
            try await database.pool.withConnection { try await Self.finish(state, on: $0) }
            try await database.pool.query("select darkroom.enqueue_job('rerender', 1, 'rerender')")
            _ = try await Self.claim(database)
            try await database.pool.withConnection { try await Self.finish("rejected", on: $0) }
            #expect(try await Self.events(database).isEmpty)
        }
    }

    @Test("likes come as one event, without the uploader's own, and not twice if they are given again")
    func liked() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let uploader = try await Self.prepare(database)
            try await Self.vote([uploader], "like", database)
            #expect(try await Self.events(database).isEmpty, "nobody else")
            try await Self.vote(["ada", "bob", "eve"], "like", database)
            try await Self.vote(["mallory"], "dislike", database)
            var events = try await Self.events(database)
            #expect(events.map(\.event) == ["liked"] && events.map(\.likes) == [3])
            #expect(events.first?.post == 1 && events.first?.uploader == uploader)

            try await database.pool.query("update darkroom.settings set like_gathering = '1 hour'")
            try await Self.vote(["dan"], "like", database)
            #expect(try await Self.events(database).isEmpty, "within the hour")
            try await Self.vote(["dora"], "like", database)
            #expect(try await Self.events(database).isEmpty, "within the hour")
            #expect(try await database.store.enqueueBacklogs() == 0, "nothing is due")
            try await database.pool.query(
                "update darkroom.untold_likes set due_at = due_at - interval '1 hour'")
            #expect(try await database.store.enqueueBacklogs() == 1, "it is due")
            events = try await Self.events(database)
            #expect(events.map(\.likes) == [2], "gathered")

            try await database.pool.query("update darkroom.settings set like_gathering = '0'")
            try await Self.vote(["ada", "bob"], nil, database)
            #expect(try await Self.events(database).isEmpty)
            try await Self.vote(["ada", "bob"], "like", database)
            #expect(try await Self.events(database).isEmpty, "told before")
            try await Self.vote([uploader], nil, database)
            try await Self.vote(["frank"], "like", database)
            #expect(try await Self.events(database).map(\.likes) == [1])
            #expect(try await database.inconsistencies() == [])
        }
    }

    @Test("likes of a post that is hidden are told when it is shown again")
    func hiddenLikes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await Self.prepare(database)
            try await Self.vote(["ada"], "like", database)
            try await database.pool.query("select darkroom.tally_counters()")
            try await database.pool.query("update darkroom.posts set state = 'hidden'")
            #expect(try await Self.events(database).isEmpty)
            #expect(
                try await database.pool.query("select from darkroom.untold_likes").isEmpty, "no tally waits")
            try await database.pool.query("update darkroom.posts set state = 'published'")
            #expect(try await Self.events(database).map(\.likes) == [1])
        }
    }

    @Test("the answer to an appeal comes with the decision, whatever it is", arguments: [true, false])
    func appeal(succeeds: Bool) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let uploader = try await Self.prepare(database)
            _ = try await database.reviews.review(1, .remove(.terms(nil)), by: "olga")
            #expect(try await Self.events(database).map(\.event) == ["removed"])
            _ = try await database.reviews.appeal(1, by: uploader, text: "It is mine.")
            #expect(try await Self.events(database).isEmpty)
            try await database.pool.query(
                "insert into darkroom.location_policies (privacy, minimum_population, note) values ('exact', 0, 'all')"
            )
            let action: ReviewAction = succeeds ? .restore : .remove(.terms(nil))
            _ = try await database.reviews.review(1, action, by: "otto", seen: .max)
            let events = try await Self.events(database)
            #expect(
                Set(events.map(\.event))
                    == (succeeds ? ["restored", "appeal_answered"] : ["appeal_answered"]))
            #expect(events.allSatisfy { $0.uploader == uploader })
        }
    }
}
