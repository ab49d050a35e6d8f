import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("History partitions", .timeLimit(.minutes(15)))
struct HistoryPartitionTests {
    /// The days are made first, because the database may come from a template of the day before.
    private static let dropTomorrow: [PostgresQuery] =
        ["select darkroom.ensure_history_partitions()"]
        + ["finished_jobs", "job_attempts"].map { parent in
            """
            do $$ begin
                execute format('drop table darkroom.%I', '\(unescaped: parent)_' || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD'));
            end $$
            """
        }

    @Test("of today and three days ahead are there from the start")
    func fresh() async throws {
        try await QueueDatabase.with { database in
            let made = try await database.pool.query(
                """
                select p.relname::text as parent, count(*) as days
                from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
                where c.relname ~ '_[0-9]{8}$' and c.relkind = 'r' group by 1 order by 1
                """)
            #expect(
                try made.map { try $0.decode("parent", as: String.self) } == [
                    "event_log", "finished_jobs", "job_attempts",
                ])
            #expect(try made.map { try $0.decode("days", as: Int.self) } == [4, 4, 4])
            #expect(try await database.store.createHistoryPartitions())
        }
    }

    @Test("wait for nobody who reads history, so that nobody waits behind them")
    func reader() async throws {
        try await QueueDatabase.with { database in
            for drop in Self.dropTomorrow { try await database.pool.query(drop) }
            try await database.enqueue()
            let job = try await database.claimOne()
            try await database.withRivals { reader, maker in
                try await reader.run("begin")
                try await reader.run("select count(*) from darkroom.finished_jobs")
                // Waiting for the reader would fail after this time.
                try await maker.run("set statement_timeout = '30s'")
                let making = try await maker.start { session in
                    try await session.query("select darkroom.ensure_history_partitions() as made")[0]
                        .decode("made", as: Int.self)
                }
                #expect(try await making.value == 1, "the partition of job_attempts, which nobody reads")
                let timeout = try await maker.session.query("show lock_timeout")
                #expect(try timeout[0].decode("lock_timeout", as: String.self) == "0")

                // Nobody waits for a lock, neither before nor after.
                let waiting = try await database.pool.query(
                    """
                    select from pg_locks l join pg_database d on d.oid = l.database
                    where not l.granted and d.datname = current_database()
                    """)
                #expect(waiting.isEmpty)
                #expect(try await database.store.complete([job.lease]).isEmpty)
                #expect(try await database.state(of: job.id) == .succeeded)

                #expect(try await !database.store.createHistoryPartitions())
                #expect(
                    try await database.store.historyPartitions().missing.map { $0.dropLast(8) } == [
                        "finished_jobs_"
                    ])
                try await reader.run("commit")
                #expect(try await database.store.createHistoryPartitions())
                #expect(try await database.store.historyPartitions().missing.isEmpty)
            }
        }
    }

    @Test("are left to the other session that makes or prunes them")
    func concurrent() async throws {
        try await QueueDatabase.with { database in
            for drop in Self.dropTomorrow { try await database.pool.query(drop) }
            try await database.withRivals { other, second in
                try await other.run("begin")
                try await other.run("select darkroom.ensure_history_partitions()")
                try await second.run("set statement_timeout = '30s'")
                try await second.run("select darkroom.ensure_history_partitions()")
                let error = await #expect(throws: PostgresError.self) {
                    try await second.run("select darkroom.prune_history()")
                }
                #expect(error?.sqlState == .lockNotAvailable)
                try await other.run("rollback")
                #expect(try await database.store.createHistoryPartitions())
            }
        }
    }

    @Test("take in what ended before they were there, while more ends")
    func strays() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query("select darkroom.ensure_history_partitions()")
            try await database.pool.query(
                """
                do $$ declare one record; begin
                    for one in select inhrelid::regclass as child from pg_inherits
                               where inhparent in ('darkroom.finished_jobs'::regclass, 'darkroom.job_attempts'::regclass,
                                                   'darkroom.event_log'::regclass)
                                 and inhrelid::regclass::text ~ '_[0-9]{8}$' loop
                        execute 'drop table ' || one.child;
                    end loop;
                end $$
                """)
            let count = 3000
            let worker = try await database.worker()
            _ = try await database.store.enqueue(
                .noop, subjects: (0..<count).map(Int64.init), fairKeys: ["a"])
            @Sendable func finishSome() async throws -> Int {
                let jobs = try await database.store.claim(limit: 100, worker: worker)
                let again = jobs.prefix(10).filter { $0.attempt == 1 }
                for job in again {
                    try await database.store.end(
                        job.lease, as: .retry(Reason(code: "disk_full", message: ""), delay: .zero))
                }
                #expect(
                    try await database.store.complete(
                        jobs.filter { job in !again.contains { $0.id == job.id } }.map(\.lease)
                    ).isEmpty)
                _ = try await database.store.promoteDue()
                return jobs.count
            }
            _ = try await finishSome()
            let strays = try await database.store.historyPartitions()
            #expect(strays.strayRows == 100 && strays.missing.count == 6)
            async let finishing: Void = {
                while try await finishSome() > 0 {}
            }()
            try await until("all partitions are there") { try await database.store.createHistoryPartitions() }
            try await finishing
            let left = try await database.store.historyPartitions()
            #expect(left.missing.isEmpty && left.defaultRows == 0)
            let rows = try await database.pool.query("select count(*) as jobs from darkroom.finished_jobs")
            #expect(try rows[0].decode("jobs", as: Int.self) == count)
        }
    }
}
