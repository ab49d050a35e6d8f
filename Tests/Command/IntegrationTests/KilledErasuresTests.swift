import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

/// A person with two posts, and another person's post with reactions of the first.
private struct Life: Sendable {
    static let person = "person-7c1f0e"

    let darkroom: Installation
    let others: Int64
    let first: Int64
    let second: Int64
    /// The files that existed before the first and before the second post.
    let filesBefore: (first: [String], second: [String])

    init(in darkroom: Installation) async throws {
        let pool = darkroom.database.pool
        try await pool.query("update darkroom.settings set original_grace = '0'")
        func publish(_ number: Int, by uploader: String) async throws -> (Int64, [String]) {
            let before = try? filesBelow(darkroom.media)
            let photo = PhotoFixture.jpeg(
                width: 200 + number, height: 150, latitude: -33.9175, longitude: 18.4026)
            let path = try darkroom.write(photo, to: "p\(number).jpg")
            _ = try await darkroom.json(
                "enqueue", "--uploader", uploader, "--caption", "words of \(uploader)", path)
            try await darkroom.drain()
            let rows = try await pool.query("select max(post_id) as post from darkroom.posts")
            return (try rows[0].decode("post", as: Int64.self), before ?? [])
        }
        (others, _) = try await publish(1, by: "bob")
        let first = try await publish(2, by: Self.person)
        let second = try await publish(3, by: Self.person)
        self.darkroom = darkroom
        (self.first, self.second) = (first.0, second.0)
        filesBefore = (first.1, second.1)
        for query: PostgresQuery in [
            "select darkroom.vote_on_post(\(others), \(Self.person), 'like')",
            "select darkroom.add_comment(\(others), \(Self.person), 'words')",
            "select darkroom.report_post(\(others), \(Self.person), 'spam', 'words')",
            "select darkroom.vote_on_post(\(self.second), 'bob', 'like')",
            "select darkroom.add_comment(\(self.second), 'bob', 'words')",
            "select darkroom.count_views(array[\(self.second)::bigint])",
        ] {
            try await pool.query(query)
        }
        // This test does not need moderation and counting.
        try await pool.query("delete from darkroom.jobs")
    }

    func number(_ query: PostgresQuery) async throws -> Int {
        let rows = try await darkroom.database.pool.query(query)
        return try rows[0].decode(rows.columns[0], as: Int.self)
    }

    /// The tables with a row that meets `condition` on its alias `t`.
    func tables(with column: String? = nil, where condition: PostgresQuery) async throws -> [String] {
        let tables = try await darkroom.database.pool.query(
            """
            select c.relname::text as name from pg_class c
            where c.relnamespace = 'darkroom'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
              and (\(column)::text is null or exists (
                  select from pg_attribute a where a.attrelid = c.oid and a.attname = \(column) and not a.attisdropped))
            order by 1
            """
        ).map { try $0.decode("name", as: String.self) }
        var found: [String] = []
        for table in tables {
            let rows = try await number(
                "select count(*) from darkroom.\(unescaped: table) t where \(condition)")
            if rows > 0 { found.append(table) }
        }
        return found
    }
}

/// Real workers, killed with SIGKILL during an erasure; another process finishes it.
@Suite("Workers killed during an erasure", .timeLimit(.minutes(10)))
struct KilledErasuresTests {
    enum Order: String, CaseIterable { case person, post }
    /// While rows are erased, or once they are gone and some of the files too.
    enum Stage: String, CaseIterable { case rows, files }

    @Test(
        "leave work that another worker finishes: no row and no file stays", arguments: Order.allCases,
        Stage.allCases.every(2))
    func killed(order: Order, stage: Stage) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let life = try await Life(in: darkroom)
            let obstacle = try await Self.obstacle(for: order, stage, life)
            switch order {
            case .person: _ = try await PersonStore(pool: darkroom.database.pool).erase(Life.person)
            case .post:
                let store = ErasureStore(pool: darkroom.database.pool)
                #expect(try await store.delete(life.second, of: Life.person))
            }
            let kind = order == .person ? "erase_person" : "erase_post"
            let job = JobID(
                rawValue: Int64(
                    try await life.number(
                        "select job_id from darkroom.jobs where kind = \(kind)")))
            let files = try filesBelow(darkroom.media)

            let worker = try WorkerProcess(darkroom)
            let blocked: PostgresQuery = """
                select count(*) from pg_stat_activity
                where wait_event_type = 'Lock' and datname = current_database() and query ~ 'darkroom.(erase_person_post|erase_post_rows|claim_media)'
                """
            while try await life.number(blocked) == 0 { try await Task.sleep(for: .milliseconds(5)) }
            worker.send(SIGKILL)
            #expect(try await worker.end() == .killed(signal: SIGKILL))
            try await Self.expectHalfDone(order, stage, life, files: files)
            await obstacle.close()

            try await darkroom.drain()
            let attempts = try await darkroom.database.store.attempts(of: job)
            // It may have given way to the obstacle before.
            #expect(attempts.contains { $0.outcome == "crashed" && $0.reason?.code == "worker_died" })
            #expect(attempts.last?.outcome == "succeeded")
            #expect(Set(attempts.map(\.worker)).count == 2)
            try await Self.expectGone(order, life)
        }
    }

    /// A transaction that the erasure must wait for: one that holds a post, or is about to refer to a file.
    private static func obstacle(
        for order: Order, _ stage: Stage, _ life: Life
    ) async throws -> PostgresConnection {
        let connection = try await PostgresConnection.connect(life.darkroom.database.configuration)
        try await connection.query("begin")
        switch (stage, order) {
        case (.rows, .person):
            // The latest post is erased first.
            try await connection.query(
                "select from darkroom.posts where post_id = \(life.first) for key share")
        case (.rows, .post):
            try await connection.query(
                "select from darkroom.posts where post_id = \(life.second) for key share")
        case (.files, _):
            // Files are erased in the order of their keys, originals before renditions.
            try await connection.query(
                """
                select darkroom.hold_media(array(
                    select max(media_key) from darkroom.renditions where post_id = any (\(
                        order == .person ? [life.first, life.second] : [life.second]))))
                """)
        }
        return connection
    }

    private static func expectHalfDone(
        _ order: Order, _ stage: Stage, _ life: Life, files: [String]
    ) async throws {
        let posts = try await life.number(
            "select count(*) from darkroom.posts where uploader = \(Life.person)")
        let left = try filesBelow(life.darkroom.media)
        switch stage {
        case .rows:
            #expect(posts == (order == .person ? 1 : 2), "the latest of the person's two posts is gone")
            #expect(left == files)
        case .files:
            #expect(posts == (order == .person ? 0 : 1))
            #expect(left.count < files.count, "some files are gone")
            let known = try await life.number("select count(*) from darkroom.retired_media")
            #expect(known > 0 && Set(left).isSubset(of: Set(files)))
        }
        if order == .person {
            #expect(
                try await life.number(
                    "select count(*) from darkroom.person_erasures where state = 'running' and person = \(Life.person)"
                ) == 1)
        }
    }

    private static func expectGone(_ order: Order, _ life: Life) async throws {
        let (darkroom, person) = (life.darkroom, Life.person)
        #expect(try await life.number("select count(*) from darkroom.retired_media") == 0)
        let traces = try await life.tables(with: "post_id", where: "t.post_id = \(life.second)")
        switch order {
        case .post:
            #expect(try filesBelow(darkroom.media) == life.filesBefore.second)
            #expect(traces == ["event_log", "post_erasures"])
            #expect(try await life.number("select count(*) from darkroom.posts") == 2)
        case .person:
            #expect(try filesBelow(darkroom.media) == life.filesBefore.first)
            #expect(traces == ["event_log", "post_erasures"])
            let naming = try await life.tables(where: "strpos(t::text, \(person)) > 0")
            #expect(naming == [])
            #expect(
                try await life.number(
                    "select count(*) from darkroom.person_erasures where state = 'finished' and posts = 2")
                    == 1)
            #expect(
                try await life.number("select likes from darkroom.post_details(\(life.others))") == 0)
            #expect(
                try await life.number("select comments from darkroom.post_details(\(life.others))")
                    == 0)
        }
        let swept = try await darkroom.json("sweep", "--older-than", "0s")
        #expect(swept.first?.number("unreferred") == 0 && swept.first?.number("missing") == 0)
    }
}
