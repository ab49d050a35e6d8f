import JobQueue
import JobStore
import Postgres
import Posts
import Synchronization
import Telemetry
import TestKit
import Testing

/// What a reader has received so far, and whether the writers are done.
private final class Progress: Sendable {
    private let state = Mutex<(events: [OutboxEvent], isDone: Bool)>(([], false))

    var events: [OutboxEvent] { state.withLock(\.events) }
    var isDone: Bool { state.withLock(\.isDone) }

    func add(_ events: [OutboxEvent]) { state.withLock { $0.events += events } }
    func finish() { state.withLock { $0.isDone = true } }
}

@Suite("Events", .timeLimit(.minutes(15)))
struct EventTests {
    private static func happen(
        _ event: String, to post: Int64, on connection: PostgresConnection, comment: Int64? = nil
    ) async throws {
        try await connection.query(
            "insert into darkroom.outbox (post_id, event, comment_id) values (\(post), \(event), \(comment))")
    }

    private static func number(_ database: QueueDatabase) async throws {
        try await database.pool.query("select darkroom.notify_of_events()")
    }

    @Test("are not lost if they are written first and committed last, and each comes once")
    func lateCommit() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = EventStore(pool: database.pool)
            try await store.addConsumer("push")
            let late = try await PostgresConnection.connect(database.configuration)
            try await late.query("begin")
            try await Self.happen("published", to: 1, on: late)
            try await database.pool.withConnection { (quick: PostgresConnection) async throws -> Void in
                try await Self.happen("published", to: 2, on: quick)
            }
            try await Self.number(database)
            let first = try await store.events(for: "push", limit: 100)
            #expect(first.map(\.post) == [2])
            try await store.acknowledge(try #require(first.last).number, for: "push")

            try await late.query("commit")
            await late.close()
            #expect(try await store.events(for: "push", limit: 100).isEmpty, "not numbered yet")
            try await Self.number(database)
            let second = try await store.events(for: "push", limit: 100)
            #expect(second.map(\.post) == [1], "though its event_id is the lower one")
            try await store.acknowledge(try #require(second.last).number, for: "push")
            #expect(try await store.events(for: "push", limit: 100).isEmpty)
        }
    }

    @Test("come again until they are acknowledged, to each consumer separately")
    func consumers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = EventStore(pool: database.pool)
            #expect(try await store.addConsumer("push"))
            #expect(try await store.addConsumer("push") == false)
            try await database.pool.withConnection { (connection: PostgresConnection) async throws -> Void in
                for post in 1...5 { try await Self.happen("published", to: Int64(post), on: connection) }
            }
            try await Self.number(database)
            #expect(try await store.events(for: "push", limit: 3).map(\.post) == [1, 2, 3])
            #expect(
                try await store.events(for: "push", limit: 3).map(\.post) == [1, 2, 3], "not acknowledged")
            let second = try await store.events(for: "push", limit: 2)
            try await store.acknowledge(second[1].number, for: "push")
            #expect(try await store.events(for: "push", limit: 100).map(\.post) == [3, 4, 5])
            // A late acknowledgement changes nothing.
            try await store.acknowledge(second[0].number, for: "push")
            #expect(try await store.events(for: "push", limit: 100).map(\.post) == [3, 4, 5])

            try await store.addConsumer("late")
            try await store.addConsumer("audit", fromStart: true)
            #expect(try await store.events(for: "late", limit: 100).isEmpty)
            #expect(try await store.events(for: "audit", limit: 100).map(\.post) == [1, 2, 3, 4, 5])
            #expect(try await store.events(for: "by-name-alone", limit: 100).isEmpty)
            try await database.pool.withConnection { (connection: PostgresConnection) async throws -> Void in
                try await Self.happen("commented", to: 5, on: connection, comment: 77)
            }
            try await Self.number(database)
            for consumer in ["late", "by-name-alone"] {
                let events = try await store.events(for: consumer, limit: 100)
                #expect(events.map(\.event) == ["commented"] && events.map(\.comment) == [77], "\(consumer)")
            }
            await #expect(throws: PostgresError.self) {
                try await store.acknowledge(1_000_000, for: "push")
            }
        }
    }

    /// Eight writers change the state of three posts, each under the post's lock, half of them in transactions that
    /// began (and have their number) before they wait for it. Readers read meanwhile.
    @Test("of one post come in the order in which they happened, despite concurrent writers")
    func order() async throws {
        try await QueueDatabase.with(connections: 12) { (database: QueueDatabase) async throws -> Void in
            let store = EventStore(pool: database.pool)
            try await database.pool.query(
                "create table turns (post_id bigint primary key, turns bigint not null)")
            try await database.pool.query("insert into turns values (1, 0), (2, 0), (3, 0)")
            try await store.addConsumer("push")
            let (writers, rounds) = (8, 30)
            let progress = Progress()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Once more after the last writer.
                    var isLast = false
                    while true {
                        try await Self.number(database)
                        let events = try await store.events(for: "push", limit: 7)
                        if let newest = events.last {
                            progress.add(events)
                            try await store.acknowledge(newest.number, for: "push")
                        } else if isLast {
                            return
                        } else {
                            isLast = progress.isDone
                        }
                    }
                }
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for writer in 0..<writers {
                            group.addTask {
                                for round in 0..<rounds {
                                    let post = Int64(1 + (writer + round) % 3)
                                    try await database.pool.withTransaction { transaction in
                                        if (writer + round) % 2 == 0 {
                                            try await transaction.query("select pg_current_xact_id()")
                                        }
                                        let rows = try await transaction.query(
                                            "update turns set turns = turns + 1 where post_id = \(post) returning turns"
                                        )
                                        let turn = try rows[0].decode("turns", as: Int64.self)
                                        try await Self.happen(
                                            "hidden", to: post, on: transaction, comment: turn)
                                    }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    progress.finish()
                }
                try await group.waitForAll()
            }
            let events = progress.events
            #expect(events.count == writers * rounds)
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.number < $1.number })
            for post in Int64(1)...3 {
                let turns = events.filter { $0.post == post }.compactMap(\.comment)
                #expect(turns == (1...Int64(turns.count)).map(\.self), "post \(post)")
            }
        }
    }

    @Test("wake readers when the tally runs, not when they are written")
    func notification() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = EventStore(pool: database.pool)
            try await store.addConsumer("push")
            let listener = try await PostgresConnection.connect(database.configuration)
            try await listener.listen("darkroom.events")
            try await database.pool.withConnection { (connection: PostgresConnection) async throws -> Void in
                try await Self.happen("removed", to: 1, on: connection)
                try await connection.query("select pg_notify('darkroom.events', 'after the write')")
            }
            let first = try await listener.nextNotification(timeout: .seconds(20))
            #expect(first?.payload == "after the write", "the write itself notified nobody")

            #expect(
                try await database.store.enqueueBacklogs() == 1, "a post that nobody saw has the tally run")
            let job = try await database.claimOne()
            _ = try await TallyHandler(pool: database.pool).run(job, trace: AttemptTrace())
            let second = try await listener.nextNotification(timeout: .seconds(20))
            #expect(second?.payload == "")
            #expect(try await store.events(for: "push", limit: 10).map(\.event) == ["removed"])
            await listener.close()
        }
    }

    @Test("are removed by the job for history after the days in the settings, read or not")
    func retention() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let store = EventStore(pool: database.pool)
            try await store.addConsumer("push")
            for day in 1...10 {
                try await database.pool.query(
                    "insert into darkroom.outbox (post_id, event) values (\(day), 'published')")
                try await Self.number(database)
                try await database.pool.query(
                    """
                    update darkroom.event_log set numbered_at = now() - \(day) * interval '1 day' where post_id = \(day)
                    """)
            }
            try await database.pool.query(
                "insert into darkroom.outbox (post_id, event) values (11, 'published')")
            try await database.pool.query("update darkroom.settings set event_days = 5")
            let job = try await database.pool.query(
                "select darkroom.enqueue_job('prune_history', 0, 'prune') as job")
            #expect(job.count == 1)
            _ = try await PruneHistoryHandler(store: database.store, log: .silent)
                .run(try await database.claimOne(), trace: AttemptTrace())
            #expect(Set(try await store.events(for: "push", limit: 100).map(\.post)) == [1, 2, 3, 4, 5])
            try await Self.number(database)
            #expect(
                try await store.events(for: "push", limit: 100).last?.post == 11,
                "what had no number was kept")
        }
    }
}
