import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Schedules", .timeLimit(.minutes(15)))
struct ScheduleTests {
    /// Replaces the schedules by one of no-op jobs.
    static func with(
        cron: String = "*/5 * * * *", timeZone: String = "UTC", _ body: (QueueDatabase) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("delete from darkroom.schedules")
            try await database.store.setSchedule(
                "tick", cron: cron, timeZone: timeZone, kind: .noop, queue: "default", priority: 0,
                isEnabled: true)
            try await body(database)
        }
    }

    static func makeDue(
        _ database: QueueDatabase, _ name: String? = nil, agoSeconds: Double = 1
    ) async throws {
        try await database.pool.query(
            """
            update darkroom.schedules set next_run_at = clock_timestamp() - make_interval(secs => \(agoSeconds))
            where name = coalesce(\(name), name)
            """)
    }

    @Test("fire once, however many workers check")
    func once() async throws {
        try await Self.with { database in
            #expect(try await database.store.runSchedules().ran.isEmpty, "not due yet")
            try await Self.makeDue(database)
            let ran = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<8 { group.addTask { try await database.store.runSchedules().ran } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(ran == ["tick"])
            let jobs = try await database.jobs()
            #expect(jobs.map(\.kind) == [.noop])
            let schedule = try #require(try await database.store.schedules().first)
            #expect(schedule.lastJob == jobs.first?.id)
            let wait = try #require(schedule.nextRunAt).timeIntervalSinceNow
            #expect(wait > -300 && wait <= 300)
        }
    }

    @Test("make up for missed runs with one run")
    func missed() async throws {
        try await Self.with { database in
            try await Self.makeDue(database, agoSeconds: 86_400)
            #expect(try await database.store.runSchedules().ran == ["tick"])
            #expect(try await database.store.runSchedules().ran.isEmpty)
            #expect(try await database.jobs().count == 1)
        }
    }

    @Test("do not pile up behind a job that has not begun")
    func noPile() async throws {
        try await Self.with { database in
            for _ in 0..<3 {
                try await Self.makeDue(database)
                #expect(try await database.store.runSchedules().ran == ["tick"])
            }
            #expect(try await database.jobs().count == 1)
            _ = try await database.claimOne()
            try await Self.makeDue(database)
            _ = try await database.store.runSchedules()
            #expect(try await database.jobs().count == 2, "the next one may wait behind a running one")
        }
    }

    @Test(
        "follow the civil time of their zone",
        arguments: [("30 9 * * *", "Asia/Kolkata", "09:30"), ("15 0 1 * *", "America/New_York", "00:15")])
    func zones(cron: String, zone: String, clock: String) async throws {
        try await Self.with(cron: cron, timeZone: zone) { database in
            let rows = try await database.pool.query(
                """
                select to_char(next_run_at at time zone \(zone), 'HH24:MI') as clock, next_run_at > now() as is_later
                from darkroom.schedules
                """)
            #expect(try rows[0].decode("clock", as: String.self) == clock)
            #expect(try rows[0].decode("is_later", as: Bool.self))
        }
    }

    @Test(
        "take the names of time zones alone: to PostgreSQL, UTC+2 is two hours west of Greenwich",
        arguments: [
            ("UTC+2", nil), ("GMT-5", nil), ("+02", nil), ("+02:00", nil), ("<+02>-2", nil), ("EST5", nil),
            ("Mars/Olympus", nil), ("", nil), ("UTC", "UTC 10"), ("europe/zurich", "Europe/Zurich 9"),
            ("Etc/GMT-2", "Etc/GMT-2 8"),
        ] as [(String, String?)])
    func timeZones(name: String, stored: String?) async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            func set() async throws {
                try await database.store.setSchedule(
                    "tick", cron: "0 10 1 1 *", timeZone: name, kind: .noop, queue: "default", priority: 0,
                    isEnabled: true)
            }
            guard let stored else {
                let error = await #expect(throws: PostgresError.self) { try await set() }
                #expect(error?.sqlState == .invalidParameterValue)
                return
            }
            try await set()
            let row = try await database.pool.query(
                """
                select time_zone || ' ' || extract(hour from next_run_at at time zone 'UTC') as stored
                from darkroom.schedules where name = 'tick'
                """)[0]
            #expect(try row.decode("stored", as: String.self) == stored)
        }
    }

    @Test(
        "refuse invalid expressions, and report those written directly to the table without stopping others")
    func unreadable() async throws {
        try await Self.with { database in
            await #expect(throws: CronError.self) {
                try await database.store.setSchedule(
                    "bad", cron: "61 * * * *", timeZone: "UTC", kind: .noop, queue: "default", priority: 0,
                    isEnabled: true)
            }
            let error = await #expect(throws: PostgresError.self) {
                try await database.store.setSchedule(
                    "bad", cron: "1 * * * *", timeZone: "Mars/Olympus", kind: .noop, queue: "default",
                    priority: 0,
                    isEnabled: true)
            }
            #expect(error?.sqlState == .invalidParameterValue)
            try await database.pool.query(
                "insert into darkroom.schedules (name, cron, kind) values ('odd', 'now and then', 'noop')")
            try await Self.makeDue(database)
            let (ran, faults) = try await database.store.runSchedules()
            #expect(ran == ["tick"])
            #expect(faults.map(\.schedule) == ["odd"])
            #expect(try await database.store.runSchedules().faults.isEmpty, "not reported every second")
        }
    }

    @Test("refuse a queue that cannot exist, and put off what cannot be enqueued without stopping others")
    func impossible() async throws {
        try await Self.with { database in
            func add() async throws {
                try await database.pool.query(
                    "insert into darkroom.schedules (name, cron, kind, queue) values ('odd', '* * * * *', 'noop', 'Nightly')"
                )
            }
            let error = await #expect(throws: PostgresError.self) { try await add() }
            let rule = "schedule_queue_is_1_to_50_of_a_to_z_0_to_9_and_dashes"
            #expect(error?.constraint == rule)
            try await database.pool.query(
                "alter table darkroom.schedules drop constraint if exists \(unescaped: rule)")
            try await add()
            try await Self.makeDue(database)
            try await Self.makeDue(database, "odd", agoSeconds: 60)
            let (ran, faults) = try await database.store.runSchedules()
            #expect(ran == ["tick"])
            #expect(faults.map(\.schedule) == ["odd"])
            #expect(try await database.store.runSchedules().faults.isEmpty, "not reported every second")
        }
    }

    @Test("stop at an outage")
    func outage() async throws {
        try await Self.with { database in
            try await database.pool.query(
                """
                create function public.refuse() returns trigger language plpgsql as
                $$begin raise sqlstate '53100'; end$$;
                """)
            try await database.pool.query(
                "create trigger refuse before insert on darkroom.jobs execute function public.refuse()")
            try await Self.makeDue(database)
            let error = await #expect(throws: PostgresError.self) {
                try await database.store.runSchedules()
            }
            #expect(error?.sqlState == "53100")
            try await database.pool.query("drop trigger refuse on darkroom.jobs")
            #expect(try await database.store.runSchedules().ran == ["tick"])
        }
    }

    @Test("do not run when disabled")
    func disabled() async throws {
        try await Self.with { database in
            try await database.store.setSchedule(
                "tick", cron: "* * * * *", timeZone: "UTC", kind: .noop, queue: "default", priority: 0,
                isEnabled: false)
            try await Self.makeDue(database)
            #expect(try await database.store.runSchedules().ran.isEmpty)
        }
    }

    @Test("that were planned while the server's clock was a month ahead are planned again, and do not run")
    func wrongClock() async throws {
        try await Self.with { database in
            try await database.pool.query(
                """
                update darkroom.schedules
                set next_run_at = next_run_at + interval '30 days', planned_at = planned_at + interval '30 days'
                """)
            #expect(try await database.store.runSchedules().ran.isEmpty)
            let next = try #require(try await database.store.schedules().first?.nextRunAt)
            #expect(next.timeIntervalSinceNow <= 300)
            #expect(try await database.jobs().isEmpty)
        }
    }

    @Test("run although somebody holds a lock of another one's lane")
    func lockedLane() async throws {
        try await Self.with { database in
            try await database.store.setSchedule(
                "tick", cron: "*/5 * * * *", timeZone: "UTC", kind: .noop, queue: "fresh", priority: 0,
                isEnabled: true)
            try await database.store.setSchedule(
                "tock", cron: "*/5 * * * *", timeZone: "UTC", kind: .noop, queue: "other", priority: 0,
                isEnabled: true)
            try await Self.makeDue(database, "tick", agoSeconds: 2)
            try await Self.makeDue(database, "tock", agoSeconds: 1)
            try await database.pool.query("select darkroom.lane_of('other', 'noop', 0)")
            // Somebody else makes the lane, and does not commit.
            let holder = try await PostgresConnection.connect(database.configuration)
            try await holder.query("begin")
            try await holder.query("select darkroom.lane_of('fresh', 'noop', 0)")
            let (ran, faults) = try await database.store.runSchedules()
            #expect(ran == ["tock"] && faults.map(\.schedule) == ["tick"])
            try await holder.query("rollback")
            await holder.close()
            #expect(try await database.store.runSchedules().ran == ["tick"])
        }
    }
}
