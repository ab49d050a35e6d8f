import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("Pausing, draining, bulk and retention", .timeLimit(.minutes(15)))
struct QueueControlTests {
    @Test(
        "a pause holds from the next claim on, for a queue, a kind, or both",
        arguments: [("default", nil), (nil, JobKind.noop), ("default", JobKind.noop)] as [(String?, JobKind?)]
    )
    func pause(queue: String?, kind: JobKind?) async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [1, 2], fairKeys: ["a"])
            let worker = try await database.worker()
            #expect(try await database.store.claim(limit: 1, worker: worker).count == 1)
            try await database.store.pause(queue: queue, kind: kind, by: "olga")
            #expect(try await database.store.claim(limit: 1, worker: worker).isEmpty)
            #expect(try await database.store.pauses().map(\.by) == ["olga"])
            #expect(try await database.store.resume(queue: queue, kind: kind))
            #expect(try await !database.store.resume(queue: queue, kind: kind), "nothing is paused any more")
            #expect(try await database.store.claim(limit: 1, worker: worker).count == 1)
        }
    }

    @Test("a pause of a kind in one queue holds nothing else back")
    func otherQueues() async throws {
        try await QueueDatabase.with { database in
            for queue in ["bulk", "default"] {
                _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["a"], queue: queue)
            }
            try await database.store.pause(queue: "bulk", kind: .noop, by: "olga")
            let worker = try await database.worker()
            #expect(try await database.store.claim(limit: 5, worker: worker, queue: "bulk").isEmpty)
            #expect(try await database.store.claim(limit: 5, worker: worker).count == 1)
            #expect(try await !database.store.hasWorkLeft(in: ["bulk"], kinds: [.noop]))
            try await database.enqueue()
            #expect(try await database.store.claim(limit: 5, worker: worker).count == 1)
        }
    }

    @Test("a drain lets earlier jobs run and parks later ones, until it is over")
    func drain() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["a"])
            try await database.store.pause(queue: "default", kind: nil, drain: true, by: "olga")
            let late = try await database.enqueue(runAfterSeconds: 3600)
            _ = try await database.store.enqueue(.noop, subjects: [2], fairKeys: ["a"])
            #expect(try await database.jobs(in: [.parked]).count == 2)
            #expect(try await database.store.left(queue: "default", kind: nil) == 1)
            let worker = try await database.worker()
            let jobs = try await database.store.claim(limit: 5, worker: worker)
            #expect(jobs.map(\.subject) == [1])
            #expect(try await database.store.complete(jobs.map(\.lease)).isEmpty)
            #expect(try await database.store.left(queue: "default", kind: nil) == 0)
            #expect(try await database.store.resume(queue: "default", kind: nil))
            #expect(try await database.state(of: late) == .scheduled)
            #expect(try await database.store.claim(limit: 5, worker: worker).map(\.subject) == [2])
        }
    }

    @Test("a queue that does not exist cannot be paused")
    func unknownQueue() async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.store.pause(queue: "nowhere", kind: nil, by: "olga")
            }
            #expect(error?.sqlState == SQLState("P0002"))
            #expect(error?.hint?.contains("default") == true)
        }
    }

    @Test("queues are separate: a worker gets only jobs of the queues that it serves")
    func queues() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [1], fairKeys: ["a"], queue: "bulk")
            let worker = try await database.worker()
            #expect(try await database.store.claim(limit: 5, worker: worker).isEmpty)
            #expect(try await database.store.claim(limit: 5, worker: worker, queue: "bulk").count == 1)
            #expect(try await database.store.queues().map(\.name) == ["bulk", "default", "upkeep"])
        }
    }

    @Test("thousands of uploads in one call return their jobs in order, and existing jobs for used keys")
    func bulk() async throws {
        try await QueueDatabase.with { database in
            let before = try await database.enqueue(uploader: "u7", key: "k7")
            let rows = try await database.pool.query(
                """
                select darkroom.enqueue_uploads((
                    select jsonb_agg(jsonb_build_object(
                        'uploader', 'u' || n % 50, 'original_key', 'originals/x', 'original_sha256', repeat('ab', 32),
                        'original_bytes', 1, 'idempotency_key', case when n % 2 = 1 then 'k' || n % 1000 end) order by n)
                    from generate_series(1, 5000) n)) as jobs
                """)
            let jobs = try rows[0].decode("jobs", as: [Int64].self)
            #expect(jobs.count == 5000)
            #expect(jobs[6] == before.rawValue, "the job of that uploader and key")
            #expect(jobs[8] == jobs[1008], "a key given twice in one call")
            // 2,500 without a key, and the 500 odd keys, one of which existed before.
            #expect(Set(jobs).count == 3000)
            let waiting = try await database.pool.query("select count(*) as jobs from darkroom.jobs")
            #expect(try waiting[0].decode("jobs", as: Int.self) == 3000)
        }
    }

    @Test(
        "uploads in one call have fields by name: one that there is not is refused, and nothing is queued",
        arguments: [
            (#"{"uploader": "ada"}"#, "22023 uploads is not a list of at most 10,000 objects"),
            (#"[{"uploader": "ada"}, ["ada"]]"#, "22023 uploads is not a list of at most 10,000 objects"),
            (#"[null]"#, "22023 uploads is not a list of at most 10,000 objects"),
            (
                #"[{"uploader": "ada", "headline": "H", "place_text": "Rome", "caption_": 1}]"#,
                "22023 an upload has no field 'caption_'"
            ),
            (
                #"[{"uploader": "ada", "headline": "H", "latitude": "north", "longitude": 1}]"#,
                #"22P02 invalid input syntax for type double precision: "north""#
            ),
            (#"[{"headline": "H", "place_text": "Rome"}]"#, "23502 uploader is null"),
            (
                #"[{"uploader": 17, "headline": "H", "place_text": "Rome"}]"#,
                "22023 uploader is not of its type"
            ),
            (
                #"[{"uploader": "ada", "headline": {"a": 1}, "place_text": "Rome"}]"#,
                "22023 headline is not of its type"
            ),
            (
                #"[{"uploader": "ada", "headline": "H", "latitude": [1], "longitude": 1}]"#,
                "22023 latitude is not of its type"
            ),
        ])
    func fields(uploads: String, refusal: String) async throws {
        try await QueueDatabase.with { database in
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.query("select darkroom.enqueue_uploads(\(uploads)::jsonb)")
            }
            #expect("\(error?.sqlState?.code ?? "") \(error?.message ?? "")" == refusal)
            let queued = try await database.pool.query("select count(*) as jobs from darkroom.jobs")
            #expect(try queued[0].decode("jobs", as: Int.self) == 0)
        }
    }

    @Test("every text of an upload is a string, whatever domain it has", arguments: ["7", "true", "1e400"])
    func texts(value: String) async throws {
        try await QueueDatabase.with { database in
            let fields = try await database.pool.query(
                """
                select a.attname::text as name from pg_attribute a
                where a.attrelid = 'darkroom.new_upload'::regclass and a.attnum > 0
                  and a.attname not in ('latitude', 'longitude', 'accuracy_m', 'place_near_latitude', 'place_near_longitude',
                                        'original_bytes', 'taken_at', 'anonymous', 'replaces', 'is_draft')
                """
            ).map { try $0.decode("name", as: String.self) }
            #expect(fields.count > 12)
            for field in fields {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.enqueue_uploads(\("[{\"\(field)\": \(value)}]")::jsonb)")
                }
                #expect(error?.message == "\(field) is not of its type")
            }
        }
    }

    @Test("of a stale and a valid completion in one call, only the valid one takes effect")
    func staleBatch() async throws {
        try await QueueDatabase.with { database in
            _ = try await database.store.enqueue(.noop, subjects: [1, 2], fairKeys: ["a"])
            let worker = try await database.worker()
            let lost = try await database.store.claim(limit: 1, worker: worker)[0]
            try await database.store.end(
                lost.lease, as: .returned(Reason(code: "worker_stopped", message: "Stopped.")))
            let again = try await database.store.claim(limit: 2, worker: worker)
            let other = try #require(again.first { $0.id != lost.id })
            #expect(try await database.store.complete([lost.lease, other.lease]) == [lost.lease])
            #expect(try await database.state(of: lost.id) == .running)
            #expect(try await database.state(of: other.id) == .succeeded)
        }
    }

    @Test("old history is dropped day by day, and gives way to workers that finish jobs")
    func retention() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.query(
                """
                create table darkroom.finished_jobs_20200101 partition of darkroom.finished_jobs
                    for values from ('2020-01-01 00:00:00+00') to ('2020-01-02 00:00:00+00')
                """)
            for day in ["2020-01-01", "2019-06-01"] {
                try await database.pool.query(
                    """
                    insert into darkroom.finished_jobs (job_id, kind, state, lane, subject_id, fair_key, attempt, failures,
                                                        crashes, deaths, created_at, finished_at)
                    values (-1, 'noop', 'succeeded', 1, 1, 'a', 1, 0, 0, 0, \(day)::timestamptz, \(day)::timestamptz)
                    """)
            }
            try await database.pool.withTransaction { writer in
                _ = try await writer.query("lock table darkroom.finished_jobs in row exclusive mode")
                let error = await #expect(throws: PostgresError.self) {
                    try await database.store.pruneHistory()
                }
                #expect(error?.sqlState == .lockNotAvailable)
            }
            #expect(try await database.store.pruneHistory() == "finished_jobs_20200101")
            #expect(try await database.store.pruneHistory() == "1 rows of finished_jobs_default")
            #expect(try await database.store.pruneHistory() == nil)
            let left = try await database.pool.query("select from darkroom.finished_jobs")
            #expect(left.isEmpty)
        }
    }
}
