import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("darkroom doctor", .timeLimit(.minutes(15)))
struct DoctorTests {
    /// A cause as SQL, the check that finds it, what its detail names, and whether the doctor mends it.
    struct Cause: Sendable, CustomTestStringConvertible {
        let sql: String
        let check: String
        let names: String
        var isMended = true
        var testDescription: String { names }
    }

    static let causes = [
        Cause(sql: "drop index darkroom.jobs_claim", check: "indexes", names: "jobs_claim is missing"),
        Cause(
            sql: "alter table darkroom.jobs drop constraint jobs_pkey", check: "indexes",
            names: "jobs_pkey is missing"),
        Cause(
            sql: "update pg_index set indisvalid = false where indexrelid = 'darkroom.jobs_fair'::regclass",
            check: "indexes", names: "jobs_fair is not valid"),
        Cause(
            sql: """
                create index jobs_claim_ccnew on darkroom.jobs (lane);
                update pg_index set indisvalid = false where indexrelid = 'darkroom.jobs_claim_ccnew'::regclass
                """, check: "indexes", names: "jobs_claim_ccnew is not valid"),
        // As a doctor that was killed while it made a key leaves it.
        Cause(
            sql: """
                alter table darkroom.reviews drop constraint reviews_pkey;
                create unique index reviews_pkey on darkroom.reviews (post_id)
                """, check: "indexes", names: "reviews_pkey is no key"),
        Cause(
            sql:
                "alter table darkroom.job_attempts drop constraint job_attempts_pkey; drop index darkroom.jobs_fair",
            check: "indexes", names: "job_attempts_pkey is missing, jobs_fair is missing"),
        Cause(
            sql: """
                alter table darkroom.pauses drop constraint pauses_queue_kind_key;
                create unique index pauses_queue_kind_key on darkroom.pauses (queue, kind) nulls not distinct
                """, check: "indexes", names: "pauses_queue_kind_key is no key"),
        Cause(
            sql: "alter table darkroom.posts drop constraint posts_pkey cascade", check: "indexes",
            names:
                "posts_pkey is missing, appeals_post_id_fkey on appeals is missing, place_corrections_post_id_fkey on"
        ),
        Cause(
            sql: "alter table darkroom.posts drop constraint photo_is_whole_or_absent", check: "indexes",
            names: "photo_is_whole_or_absent on posts is missing"),
        // As a doctor that was killed before it had looked at all rows leaves it.
        Cause(
            sql: """
                alter table darkroom.appeals drop constraint appeals_post_id_fkey;
                alter table darkroom.appeals add constraint appeals_post_id_fkey foreign key (post_id)
                    references darkroom.posts (post_id) on delete cascade not valid
                """, check: "indexes", names: "appeals_post_id_fkey on appeals is not valid"),
        Cause(
            sql: "alter table darkroom.jobs set (autovacuum_enabled = false)", check: "autovacuum",
            names: "disabled for jobs"),
        Cause(
            sql: """
                select format('drop table darkroom.finished_jobs_%s', to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD'))
                \\gexec
                """, check: "history", names: "missing partitions: finished_jobs_", isMended: false),
        Cause(
            sql: """
                select format('drop table darkroom.finished_jobs_%s', to_char(now() at time zone 'UTC', 'YYYYMMDD'))
                \\gexec
                select darkroom.enqueue_job('noop', 1, 'ada');
                select darkroom.cancel_job(1);
                """, check: "history", names: "1 rows of these days", isMended: false),
        Cause(
            sql: """
                update darkroom.schedules set is_enabled = true, next_run_at = now() - interval '1 hour' where name = 'expire'
                """, check: "schedules", names: "expire should have run", isMended: false),
        Cause(
            sql: """
                alter table darkroom.jobs set (autovacuum_enabled = false);
                select darkroom.enqueue_jobs('noop', array(select generate_series(1, 60000)), array['ada']);
                delete from darkroom.jobs;
                select pg_stat_force_next_flush();
                """, check: "dead rows", names: "in the table jobs"),
        Cause(
            sql: "select darkroom.enqueue_job('noop', 1, 'ada', 'bulk')", check: "queues",
            names: "no running worker serves the queue bulk, where jobs are due: noop", isMended: false),
        Cause(
            sql: """
                insert into darkroom.workers (host, pid, version, concurrency, heartbeat_at)
                values ('far', 7, 'x', 1, clock_timestamp() - interval '1 hour')
                """, check: "heartbeats", names: "worker 1 on far (pid 7)", isMended: false),
    ]

    @Test(
        "finds what slows or stops the queue, mends what it can, and no cure is a text of SQL",
        arguments: causes.every(4))
    func cause(_ cause: Cause) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await psql(cause.sql, darkroom)
            let found = try await findings(darkroom, "--patience", "0s").filter {
                $0.string("level") == "wrong"
            }
            let finding = try #require(
                found.first { $0.string("check") == cause.check }, "\(found.map(\.keys))")
            #expect(
                finding.string("detail")?.contains(cause.names) == true, "\(finding.string("detail") ?? "")")
            let remedy = try #require(finding.string("remedy"))
            #expect(remedy.contains("--mend") == cause.isMended, "\(remedy)")
            for word in ["select ", "alter ", "create ", "reindex", "vacuum ", "darkroom."] {
                #expect(!remedy.contains(word), "\(remedy)")
            }
            let left = try await findings(darkroom, "--patience", "1h", "--mend")
            #expect(
                !cause.isMended || left.first { $0.string("check") == cause.check }?.string("level") == "ok",
                "\(left)")
        }
    }

    @Test("leaves indexes that others have made, whatever they are called, and says which are not valid")
    func others() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await psql(
                """
                create index theirs on only darkroom.finished_jobs (job_id);
                create index report_ccnew on darkroom.jobs (lane);
                update pg_index set indisvalid = false where indexrelid = 'darkroom.report_ccnew'::regclass;
                """, darkroom)
            let there: PostgresQuery = """
                select string_agg(relname, ' ' order by relname) as names from pg_index join pg_class on oid = indexrelid
                where not indisvalid
                """
            let found = try await findings(darkroom, "--mend").filter { $0.string("check") == "indexes" }
            #expect(found.map { $0.string("level") } == ["note", "note", "ok"])
            let left = try await darkroom.database.pool.query(there)[0].decode("names", as: String.self)
            #expect(left == "report_ccnew theirs")
        }
    }

    @Test("names the transaction that holds a snapshot, with its process and age")
    func heldSnapshot() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(url: darkroom.database.url, applicationName: "nightly-report"))
            try await connection.execute("begin isolation level repeatable read; select 1")
            let patient = try await findings(darkroom, "--patience", "1h").filter {
                $0.string("level") != "ok"
            }
            #expect(patient.isEmpty)
            let found = try await findings(darkroom, "--patience", "0s")
            let finding = try #require(found.first { $0.string("check") == "snapshots" })
            let process = await connection.backendProcessID
            #expect(finding.string("level") == "wrong")
            for part in [
                "process \(process)", "nightly-report", "idle in transaction", "open for", "of user",
            ] {
                #expect(finding.string("detail")?.contains(part) == true, "\(part)")
            }
            #expect(finding.string("remedy")?.contains("darkroom doctor --end \(process)") == true)
            let none = try await findings(darkroom, "--end", "\(getpid())")
            #expect(none.first { $0.string("check") == "session" }?.string("level") == "wrong")
            let after = try await findings(darkroom, "--patience", "0s", "--end", "\(process)")
            #expect(after.first { $0.string("check") == "session" }?.string("level") == "ok")
            #expect(after.first { $0.string("check") == "snapshots" }?.string("level") == "ok")
            await #expect(throws: PostgresError.self) { try await connection.execute("select 1") }
            await connection.close()
        }
    }

    @Test(
        "mends indexes while workers and apps go on",
        .enabled(if: Extent.isCheck, "make check runs it"))
    func underLoad() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let enqueue =
                "select darkroom.enqueue_jobs('noop', array(select generate_series(1, 2000)), array['ada']);"
            try await psql(enqueue, darkroom)
            let worker = try WorkerProcess(darkroom)
            try await psql(
                """
                drop index darkroom.jobs_claim;
                drop index darkroom.jobs_due;
                alter table darkroom.jobs drop constraint jobs_pkey;
                update pg_index set indisvalid = false where indexrelid = 'darkroom.leases_pkey'::regclass;
                """, darkroom)
            let found = try await findings(darkroom, "--mend").first { $0.string("check") == "indexes" }
            #expect(found?.string("level") == "ok", "\(found?.string("detail") ?? "")")
            try await psql(enqueue, darkroom)
            try await until("all jobs are finished") {
                let rows = try await darkroom.database.pool.query(
                    """
                    select (select count(*) from darkroom.jobs) as left,
                           (select count(*) from darkroom.finished_jobs where state = 'succeeded') as done
                    """)
                return try rows[0].decode("left", as: Int.self) == 0
                    && rows[0].decode("done", as: Int.self) == 4000
            }
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
        }
    }

    @Test("names jobs that come back again and again")
    func repeats() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            let job = try await database.enqueue()
            let reason = Reason(code: "too_slow", message: "The store was slow.")
            for _ in 0..<12 {
                let none = try await findings(darkroom, "--patience", "1h").first {
                    $0.string("check") == "repeats"
                }
                #expect(none?.string("level") == "ok")
                try await database.store.end(
                    try await database.claimOne().lease, as: .snoozed(reason, delay: .milliseconds(1)))
                try await Task.sleep(for: .milliseconds(2))
                _ = try await database.store.promoteDue()
            }
            try await database.store.end(
                try await database.claimOne().lease, as: .snoozed(reason, delay: .seconds(60)))
            let found = try await findings(darkroom, "--patience", "1h").first {
                $0.string("check") == "repeats"
            }
            #expect(found?.string("level") == "wrong")
            #expect(
                found?.string("detail")?.contains("job \(job) had 13 attempts, the last with too_slow")
                    == true)
            #expect(found?.string("remedy")?.contains("darkroom jobs show \(job)") == true)
        }
    }

    @Test("looks at each queue: a worker of another one, or a free slot there, is of no use")
    func queues() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            let worker = try await database.store.register(
                host: "test", pid: 1, version: "test",
                queues: [
                    ServedQueue(name: "default", concurrency: 1), ServedQueue(name: "bulk", concurrency: 2),
                ])
            for _ in 0..<2 { try await database.enqueue() }
            _ = try await database.store.claim(limit: 1, worker: worker)
            try await database.pool.query("select darkroom.enqueue_job('expire', 0, 'expire', 'upkeep')")
            // It stays alive for the test.
            try await database.pool.query(
                "update darkroom.workers set heartbeat_at = clock_timestamp() + interval '1 hour'")

            let found = try await findings(darkroom, "--patience", "0s")
            let unserved = found.filter { $0.string("check") == "queues" }
            #expect(unserved.map { $0.string("level") } == ["wrong"])
            #expect(
                unserved.first?.string("detail")
                    == "no running worker serves the queue upkeep, where jobs are due: expire")
            #expect(unserved.first?.string("remedy")?.contains("--queue upkeep=N") == true)
            let waiting = found.filter { $0.string("check") == "waiting" }
            #expect(waiting.map { $0.string("level") } == ["note"])
            #expect(waiting.first?.string("detail")?.contains("all 1 workers are busy") == true)

            try await database.pool.query("select darkroom.pause_queue('upkeep', null, 'olga')")
            let paused = try await findings(darkroom, "--patience", "0s").filter {
                $0.string("check") == "queues"
            }
            #expect(paused.map { $0.string("level") } == ["ok"])
        }
    }

    @Test("reports a pause as a note, not a fault")
    func pause() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.enqueue()
            _ = try await darkroom.json("queue", "pause", "--queue", "default", "--by", "olga")
            let found = try await findings(darkroom, "--patience", "0s").filter {
                $0.string("check") == "pauses"
            }
            #expect(found.map { $0.string("level") } == ["note"] && found.map { $0.bool("ok") } == [true])
            #expect(found.first?.string("detail")?.contains("darkroom queue resume --queue default") == true)
        }
    }

    private func findings(_ darkroom: Installation, _ options: String...) async throws -> [JSONObject] {
        try JSONObject.lines(
            try await darkroom.command(["doctor", "--json"] + options).run().standardOutput)
    }

    /// Runs statements as an operator would who copies them from the doctor's output.
    private func psql(_ sql: String, _ darkroom: Installation) async throws {
        let path = try darkroom.write(Array((sql + "\n").utf8), to: "statements.sql")
        let psql = try #require(ChildProgram.find("psql"))
        try await ChildProgram(
            psql, ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", darkroom.database.url, "-f", path]
        ).runSuccessfully()
    }
}
