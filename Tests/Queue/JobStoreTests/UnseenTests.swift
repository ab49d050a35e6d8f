import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Every public function that takes a number of something, with every state in which a caller may not see that.
@Suite("What a person may not see", .timeLimit(.minutes(15)))
struct UnseenTests {
    /// What the arguments are that take a number.
    private static let targets = [
        "post_id": "posts", "post_ids": "posts", "comment_id": "comments", "job_id": "jobs",
        "replaces": "posts",
    ]
    /// Numbers of what everyone may see, or of nothing.
    private static let harmless: Set<String> = [
        "at_most", "cluster_id", "follow_id", "original_bytes", "up_to",
    ]

    private struct Call {
        let function: String
        let target: String
        let text: (Int64) -> String
    }

    private static func calls(in database: QueueDatabase) async throws -> [Call] {
        let rows = try await database.pool.query(
            """
            select p.proname::text as function, a.name, a.number > p.pronargs - p.pronargdefaults as is_optional,
                   b.name as base, coalesce(t.typelem = 'bigint'::regtype, false) as is_list
            from darkroom.public_functions() f
            join pg_proc p on p.proname = f.name and p.pronamespace = 'darkroom'::regnamespace
            cross join lateral unnest(p.proargtypes::oid[], p.proargnames[1:p.pronargs])
                with ordinality a (type, name, number)
            -- Once for each argument: a join would call the function for each type that there is.
            cross join lateral (select darkroom_test.base_type(a.type) as name, to_regtype(darkroom_test.base_type(a.type)) as type
                                offset 0) b
            left join pg_type t on t.oid = b.type
            where f.for_apps or f.for_readers order by 1, a.number
            """)
        var given: [String: [(name: String, value: String)]] = [:]
        var found: [(function: String, argument: String, isList: Bool)] = []
        for row in rows {
            let function = try row.decode("function", as: String.self)
            let name = try row.decode("name", as: String.self)
            let isList = try row.decode("is_list", as: Bool.self)
            if try isList || row.decode("base", as: String.self) == "bigint", targets[name] != nil {
                found.append((function, name, isList))
            } else if try isList || row.decode("base", as: String.self) == "bigint" {
                #expect(harmless.contains(name), "say what the number \(name) of \(function) is")
            }
            // An optional uploader or viewer is the person for whom an app asks.
            if try !row.decode("is_optional", as: Bool.self) || name == "uploader" || name == "viewer" {
                given[function, default: []].append((name, HostileArgument.legal[name] ?? "'user-9'"))
            }
        }
        return found.map { function, argument, isList in
            let others = given[function, default: []].filter { $0.name != argument }.map {
                "\($0.name) => \($0.value)"
            }
            return Call(function: function, target: targets[argument] ?? "") { number in
                let value = isList ? "'{\(number)}'" : "\(number)"
                return
                    "darkroom.\(function)(\((others + ["\(argument) => \(value)"]).joined(separator: ", ")))"
            }
        }
    }

    /// What a call returns or says twice in a row, with # for the number.
    private static func answer(_ call: Call, _ number: Int64, _ app: PostgresConnection) async throws
        -> String
    {
        var parts: [String] = []
        for _ in 0..<2 {
            do {
                let rows = try await app.query(
                    "select coalesce(json_agg(f)::text, 'no rows') as rows from \(unescaped: call.text(number)) as f"
                )
                parts.append(try rows[0].decode("rows", as: String.self))
            } catch let error as PostgresError where error.code == .server {
                parts += [
                    error.sqlState.map { "\($0)" }, error.constraint, error.message, error.detail, error.hint,
                ].map { $0 ?? "-" }
            }
        }
        return parts.joined(separator: "|").replacing("\(number)", with: "#")
    }

    /// The numbers of posts in every state, with what makes each unseen.
    private static func makePosts(in database: QueueDatabase) async throws -> [(state: String, post: Int64)] {
        let changes = [
            ("visible", ""), ("held", "update darkroom.posts set state = 'held' where post_id ="),
            ("hidden", "update darkroom.posts set state = 'hidden' where post_id ="),
            ("removed", "update darkroom.posts set state = 'removed' where post_id ="),
            ("expired", "update darkroom.posts set state = 'expired' where post_id ="),
            ("over", "update darkroom.posts set expires_at = now() where post_id ="),
            ("erased", "delete from darkroom.posts where post_id ="),
            ("deleted", "select darkroom.delete_post(uploader => 'ada', post_id =>"),
        ]
        try await database.publishPosts(changes.count)
        try await database.pool.query("update darkroom.posts set uploader = 'ada'")
        let posts = try await database.visiblePosts().map(\.id).sorted()
        for (post, change) in zip(posts, changes) {
            try await database.pool.query("select darkroom.add_comment(\(post), 'bob', 'Nice')")
            if !change.1.isEmpty {
                let end = change.0 == "deleted" ? ")" : ""
                try await database.pool.query(PostgresQuery(unescaped: "\(change.1) \(post)\(end)"))
            }
        }
        return zip(posts, changes).map { (post, change) in (state: change.0, post: post) }
    }

    private static func makeJobs(in database: QueueDatabase) async throws -> [(state: String, job: Int64)] {
        var jobs: [(state: String, job: Int64)] = []
        _ = try await database.enqueue()
        jobs.append(("running", try await database.claimOne().lease.job.rawValue))
        for state in ["waiting", "succeeded", "rejected", "failed", "cancelled"] {
            let job = try await database.enqueue().rawValue
            jobs.append((state, job))
            if state != "waiting" {
                try await database.pool.query(
                    "select darkroom.finish_jobs(array[\(job)::bigint], null, \(state)::darkroom.job_state, 'reason', 'text')"
                )
            }
        }
        return jobs
    }

    @Test(
        "is answered like what does not exist: every function that takes a number, every state of posts, comments, uploads"
    )
    func answers() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.pool.withConnection { (session: PostgresConnection) async throws -> Void in
                try await session.execute(HostileArgument.helpers)
                // So that no number is part of another word.
                try await session.query("alter table darkroom.posts alter post_id restart 7000001")
                try await session.query("alter table darkroom.comments alter comment_id restart 7000001")
                try await session.query("alter sequence darkroom.jobs_job_id_seq restart 7000001")
            }
            let posts = try await Self.makePosts(in: database)
            var numbers = [
                "posts": posts, "jobs": try await Self.makeJobs(in: database).map { ($0.state, $0.job) },
            ]
            for (state, post) in posts {
                for row in try await database.pool.query(
                    "select comment_id from darkroom.comments where post_id = \(post)")
                {
                    numbers["comments", default: []].append(("of \(state)", try row.decode("comment_id")))
                }
            }
            let gone = try await database.pool.query(
                "select c as comment_id from darkroom.add_comment(\(posts[0].post), 'bob', 'Oops') c")[0]
                .decode("comment_id", as: Int64.self)
            try await database.pool.query("select darkroom.delete_comment(\(gone), 'bob')")
            numbers["comments", default: []].append(("deleted", gone))

            let calls = try await Self.calls(in: database)
            #expect(Set(calls.map(\.target)) == Set(numbers.keys))
            var telling: Set<String> = []
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                for call in calls {
                    let none = try await Self.answer(call, 9_999_999, app)
                    for (state, number) in numbers[call.target, default: []] {
                        let answer = try await Self.answer(call, number, app)
                        if state == "visible" || state == "of visible" {
                            if answer != none { telling.insert(call.function) }
                        } else {
                            #expect(answer == none, "\(call.function) of \(call.target), \(state)")
                        }
                    }
                }
            }
            // These find what is there, so the calls above are not refused for another reason.
            #expect(
                telling == [
                    "add_comment", "check_comment", "comment_details", "post_comments", "post_details",
                    "posts_by_id",
                    "report_comment", "report_post", "vote_on_comment", "vote_on_post",
                ])
            let told = try await database.pool.query(
                "select post_id from darkroom.report_decisions('user-9') where comment_id is null"
            ).map { try $0.decode("post_id", as: Int64.self) }
            #expect(told == [posts[0].post])
        }
    }

    @Test("is not where a cluster says that its best post is")
    func cluster() async throws {
        try await QueueDatabase.with(FeedFixture(300)) { (database: QueueDatabase) async throws -> Void in
            let places: PostgresQuery = """
                select count(*) filter (where (l.latitude, l.longitude) = (p.latitude, p.longitude)) as places,
                       count(*) as posts
                from darkroom.map_clusters(47, -123, 48, -122, 10) c join darkroom.posts p on p.post_id = c.best_post_id,
                     darkroom.cluster_location(c.cluster_id) l where c.posts > 1
                """
            let before = try await database.pool.query(places)[0]
            #expect(try before.decode("posts", as: Int.self) > 0)
            #expect(
                try before.decode("places", as: Int.self) == before.decode("posts", as: Int.self))
            try await database.pool.query(
                """
                update darkroom.posts set state = 'hidden' where post_id in (
                    select best_post_id from darkroom.map_clusters(47, -123, 48, -122, 10))
                """)
            #expect(try await database.pool.query(places)[0].decode("places", as: Int.self) == 0)
        }
    }
}
