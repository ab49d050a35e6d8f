import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Comments are moderated as posts are", .timeLimit(.minutes(15)))
struct CommentModerationTests {
    /// A post of `ada`.
    private static func post(in database: QueueDatabase) async throws -> Int64 {
        let post = try await PublishingTests.publish(in: database)
        try await database.pool.query("update darkroom.posts set uploader = 'ada' where post_id = \(post)")
        return post
    }

    /// A post of `ada`, and a comment below it by `bob`.
    private static func comment(in database: QueueDatabase) async throws -> (post: Int64, comment: Int64) {
        let post = try await post(in: database)
        return (post, try await add(below: post, in: database))
    }

    private static func add(
        below post: Int64, by author: String = "bob", in database: QueueDatabase
    ) async throws -> Int64 {
        Int64(try await database.number("select darkroom.add_comment(\(post), \(author), 'You are ugly')"))
    }

    private static func report(
        _ comment: Int64, by reporter: String, _ reason: ReportGround = .harassment, days: Int = 365,
        in database: QueueDatabase
    ) async throws {
        try await database.pool.query(
            """
            select darkroom.report_comment(
                \(comment), \(reporter), \(reason.rawValue), reporter_since => now() - make_interval(days => \(days)))
            """)
    }

    /// Counts, and fills the inboxes.
    private static func settle(_ database: QueueDatabase) async throws {
        try await database.tally()
        try await database.pool.query("select darkroom.notify_of_events()")
        try await database.pool.query("select darkroom.fill_inboxes()")
    }

    /// The comment's state, whether it is in the review list, and how many comments its post has.
    private static func look(_ comment: Int64, in database: QueueDatabase) async throws -> String {
        try await settle(database)
        return try await database.texts(
            """
            select concat_ws(' ', c.state, case when c.is_deleted then 'deleted' end,
                             case when r.comment_id is not null then 'listed' end, coalesce(n.comments, 0),
                             (select count(*) from darkroom.post_comments(c.post_id)))
            from darkroom.comments c left join darkroom.reviews r using (post_id, comment_id)
            left join darkroom.post_counters n using (post_id) where c.comment_id = \(comment)
            """)[0] ?? ""
    }

    private static func decide(
        _ comment: Int64, _ decision: String, by moderator: String = "olga", in database: QueueDatabase
    ) async throws -> String {
        try await database.texts(
            """
            select concat_ws(' ', state, reports_judged, appeal_id, case when is_erased then 'erased' end)
            from darkroom.decide_on_comment(\(comment), \(decision), \(moderator), seen => 1000000)
            """)[0] ?? ""
    }

    @Test("by the same weights, groups and thresholds", arguments: PolicyPreset.allCases.every(2))
    func weights(preset: PolicyPreset) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await database.policies.set(note: "preset") { preset.apply(to: &$0) }
            let reasons = [ReportGround.spam, .illegal, .other]
            let ages = Extent.of([1, 365], check: [0, 1, 10, 365])
            let numbers = Extent.of([1, 3, 5, 12], check: [1, 2, 3, 4, 5, 8, 12])
            for days in ages {
                for reporters in numbers {
                    for reason in reasons {
                        let (post, comment) = try await Self.comment(in: database)
                        for n in 0..<reporters {
                            // Reporters who are right, who are wrong and who are new, each of two.
                            for (what, id) in [("p", post), ("c", comment)] {
                                let who = "\(what)-\(days)-\(reporters)-\(reason.rawValue)-\(n)"
                                if n % 3 > 0 {
                                    try await database.pool.query(
                                        """
                                        insert into darkroom.people (person, first_seen_at, agreed, disagreed)
                                        values (\(who), now() - make_interval(days => \(days)), \(n % 3 == 1 ? 6 : 0), \(n % 3 == 2 ? 9 : 0))
                                        """)
                                }
                                if what == "p" {
                                    try await database.report(id, by: who, reason: reason, accountDays: days)
                                } else {
                                    try await Self.report(id, by: who, reason, days: days, in: database)
                                }
                            }
                        }
                    }
                }
            }
            try await database.moderateAll()
            let differ = try await database.texts(
                """
                with verdicts as (
                    select d.post_id, d.comment_id > 0 as is_comment,
                           (d.decision, d.cause, d.reports, round(d.score::numeric, 4), d.threshold, d.to_state, r.severity,
                            r.cause, r.is_binding, round(r.score::numeric, 4))::text as verdict
                    from darkroom.moderation_decisions d left join darkroom.reviews r using (post_id, comment_id))
                select format('%s: %s, its comment: %s', a.post_id, a.verdict, b.verdict)
                from verdicts a full join verdicts b on b.post_id = a.post_id and b.is_comment
                where not a.is_comment and a.verdict is distinct from b.verdict
                """)
            #expect(differ == [])
            let states = try await database.texts(
                "select distinct state::text from darkroom.comments order by 1")
            #expect(states == ["hidden", "published"])
            #expect(
                try await database.number(
                    "select count(*) from darkroom.moderation_decisions where comment_id > 0")
                    == ages.count * numbers.count * reasons.count)
        }
    }

    @Test("so that a gang whose targets are posts elsewhere hides no comment, and the other way round")
    func groups() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let gang = (0..<9).map { "gang-\($0)" }
            var victims: [Int64] = []
            for _ in 0..<6 { victims.append(try await Self.comment(in: database).comment) }
            for victim in victims {
                for member in gang { try await Self.report(victim, by: member, .spam, in: database) }
                try await database.moderateAll()
            }
            // Once they are known as a group, the first comes back too.
            let states = try await database.texts(
                "select distinct state::text from darkroom.comments where comment_id = any (\(victims))")
            #expect(states == ["published"])
            let post = try await PublishingTests.publish(in: database)
            for member in gang { try await database.report(post, by: member) }
            try await database.moderateAll()
            #expect(try await database.state(ofPost: post) == .published)
        }
    }

    /// What each decision does with a comment in each state: its state after it, or nil if it does not apply.
    private static let decisions: [(state: String, decision: String, after: String?)] = [
        ("published", "approve", nil), ("published", "remove", "removed 0 0"), ("published", "restore", nil),
        ("reported", "approve", "published 1 1"), ("reported", "remove", "removed 0 0"),
        ("reported", "restore", nil),
        ("hidden", "approve", "published 1 1"), ("hidden", "remove", "removed 0 0"),
        ("hidden", "restore", nil),
        ("held", "approve", "published 1 1"), ("held", "remove", "removed 0 0"), ("held", "restore", nil),
        ("removed", "approve", nil), ("removed", "remove", nil), ("removed", "restore", "published 1 1"),
        ("appealed", "approve", nil), ("appealed", "remove", "removed 0 0"),
        ("appealed", "restore", "published 1 1"),
        ("deleted", "approve", nil), ("deleted", "remove", nil), ("deleted", "restore", nil),
        ("deleted hidden", "approve", "removed deleted 0 0"),
        ("deleted hidden", "remove", "removed deleted 0 0"),
        ("deleted hidden", "restore", nil),
        ("deleted reported", "approve", nil), ("deleted reported", "remove", nil),
        ("deleted illegal", "approve", "removed deleted 0 0"),
        ("deleted illegal", "remove", "removed deleted 0 0"),
    ]

    /// Brings a comment into a state of ``decisions``.
    private static func comment(_ state: String, in database: QueueDatabase) async throws -> Int64 {
        let post = try await post(in: database)
        if state == "held" { try await hold(in: database) }
        let comment = try await add(below: post, in: database)
        let reason = state.hasSuffix("illegal") ? ReportGround.illegal : .spam
        let reporters =
            state.hasSuffix("hidden") ? 5 : state.hasSuffix("reported") || state.hasSuffix("illegal") ? 1 : 0
        for n in 0..<reporters { try await report(comment, by: "r-\(n)", reason, in: database) }
        try await database.moderateAll()
        if state == "removed" || state == "appealed" {
            #expect(try await decide(comment, "remove", by: "piet", in: database) == "removed 0")
        }
        if state == "appealed" {
            try await database.pool.query("select darkroom.appeal_comment(\(comment), 'bob', 'A joke')")
        }
        if state.hasPrefix("deleted") {
            try await database.pool.query("select darkroom.delete_comment(\(comment), 'bob')")
            try await database.moderateAll()
        }
        return comment
    }

    @Test("and decided on in every state", arguments: decisions.indices)
    func decided(number: Int) async throws {
        let (state, decision, after) = Self.decisions[number]
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let comment = try await Self.comment(state, in: database)
            let before = try await Self.look(comment, in: database)
            let may = try await database.texts(
                "select unnest(may_decide) from darkroom.comment_to_review(\(comment))")
            #expect(may.contains(decision) == (after != nil))
            guard let after else {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await Self.decide(comment, decision, in: database)
                }
                #expect(error?.sqlState == "55000")
                #expect(
                    error?.constraint == (state.hasPrefix("deleted") ? "comment_stays" : "decision_applies"))
                #expect(try await Self.look(comment, in: database) == before)
                return
            }
            _ = try await Self.decide(comment, decision, in: database)
            #expect(try await Self.look(comment, in: database) == after)
            let judged = try await database.texts(
                "select distinct is_agreed::text from darkroom.reports where comment_id = \(comment)")
            #expect(judged == [] || judged == [decision == "remove" ? "true" : "false"])
            #expect(
                try await database.texts("select body from darkroom.comments where comment_id = \(comment)")
                    == [state.hasPrefix("deleted") ? "-" : "You are ugly"])
            // Another moderator looks again, unless this decision was seen.
            let late = await #expect(throws: PostgresError.self) {
                _ = try await database.pool.query(
                    "select darkroom.decide_on_comment(\(comment), 'approve', 'piet')")
            }
            #expect(late?.constraint == "nobody_decided_meanwhile")
            let faults = try await database.inconsistencies()
            #expect(faults == [])
        }
    }

    /// Where a person looks at everything first, or, with another number, after so many removals.
    private static func hold(_ removals: Int = 0, in database: QueueDatabase) async throws {
        _ = try await database.policies.set(note: "hold") { $0.removalsToHold = removals }
    }

    @Test(
        "and held where a post of their author would be: nobody sees or is told of them before a person has looked"
    )
    func held() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.hold(in: database)
            let (_, comment) = try await Self.comment(in: database)
            #expect(try await Self.look(comment, in: database) == "held listed 0 0")
            func told(_ person: String) async throws -> [String?] {
                try await Self.settle(database)
                return try await database.texts(
                    "select concat_ws(' ', event, comment_id) from darkroom.inbox(\(person)) where event <> 'published' order by number"
                )
            }
            #expect(try await told("ada") == [])
            #expect(try await told("bob") == ["comment_held \(comment)"])
            let own = try await database.texts(
                "select concat_ws('|', state, reason, message) from darkroom.author_comments('bob')")
            #expect(own == ["held|every_upload|A person looks at every comment here before others see it."])
            let refused = await #expect(throws: PostgresError.self) {
                try await Self.report(comment, by: "eve", in: database)
            }
            #expect(refused?.sqlState == "P0002")
            _ = try await Self.decide(comment, "approve", in: database)
            #expect(try await Self.look(comment, in: database) == "published 1 1")
            #expect(try await told("ada") == ["commented \(comment)"])
            #expect(try await told("bob") == ["comment_held \(comment)", "comment_restored \(comment)"])
            _ = try await Self.decide(comment, "remove", in: database)
            #expect(try await told("ada") == [], "nothing is there to be told of")
            #expect(
                try await told("bob") == [
                    "comment_held \(comment)", "comment_restored \(comment)", "comment_removed \(comment)",
                ])
            let faults = try await database.inconsistencies()
            #expect(faults == [])
        }
    }

    @Test("and their authors and reporters are told, and can appeal")
    func told() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (post, comment) = try await Self.comment(in: database)
            func outcome() async throws -> [String?] {
                try await database.texts(
                    "select concat_ws(' ', post_id, comment_id, decision, is_automatic) from darkroom.report_decisions('r-0')"
                )
            }
            for n in 0..<5 { try await Self.report(comment, by: "r-\(n)", in: database) }
            try await database.report(post, by: "r-0")
            #expect(try await outcome() == ["\(post) waiting f", "\(post) \(comment) waiting f"])
            let first = try await database.texts("select cursor from darkroom.report_decisions('r-0', 1)")
            let second = try await database.texts(
                "select comment_id::text from darkroom.report_decisions('r-0', 1, after => \(first[0]))")
            #expect(second == ["\(comment)"])
            try await database.moderateAll()
            #expect(try await outcome() == ["\(post) waiting f", "\(post) \(comment) hidden t"])
            func own() async throws -> [String?] {
                try await database.texts(
                    "select concat_ws('|', state, reason, message) from darkroom.author_comments('bob')")
            }
            #expect(
                try await own()
                    == [
                        "hidden|score|Readers have reported this comment. It is hidden until a person has looked at it."
                    ])
            _ = try await Self.decide(comment, "remove", in: database)
            #expect(try await outcome()[1] == "\(post) \(comment) removed f")
            #expect(
                try await own() == ["removed|review|A reviewer has removed this comment. You can appeal."])
            for (author, state) in [("eve", "P0002"), ("bob", nil), ("bob", "23505")] {
                do {
                    try await database.pool.query(
                        "select darkroom.appeal_comment(\(comment), \(author), 'A joke')")
                    #expect(state == nil)
                } catch let error as PostgresError {
                    #expect(error.sqlState?.code == state, "\(author)")
                }
            }
            #expect(
                try await database.texts(
                    "select concat_ws(' ', cause, appeal_id) from darkroom.comments_to_review()")
                    == ["appeal 1"])
            #expect(try await Self.decide(comment, "restore", in: database) == "published 5 1")
            #expect(try await outcome()[1] == "\(post) \(comment) kept f")
            try await Self.settle(database)
            #expect(
                try await database.texts(
                    "select event from darkroom.inbox('bob') order by number") == [
                        "comment_hidden", "comment_removed", "comment_restored", "comment_appeal_answered",
                    ])
            #expect(
                try await database.texts(
                    "select concat_ws(' ', agreed, disagreed) from darkroom.people where person = 'r-1'") == [
                        "0 1"
                    ])
            // The statements of reasons speak of a comment.
            let hide = try #require(try await database.decisions.decisions(on: post, comment: comment).first)
            let statement = try #require(try await database.decisions.statementOfReasons(for: hide.id))
            #expect(statement.restriction == "The comment was hidden. Only you can see it.")
            #expect(statement.record.contentTypes == ["CONTENT_TYPE_TEXT"])
            #expect(try await database.decisions.decisions(on: post).allSatisfy { $0.kind == .keep })
        }
    }

    @Test("and neither their deletion nor a policy that changes leaves a review behind")
    func changes() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (post, comment) = try await Self.comment(in: database)
            for n in 0..<5 { try await Self.report(comment, by: "r-\(n)", in: database) }
            try await database.moderateAll()
            #expect(try await Self.look(comment, in: database) == "hidden listed 0 0")
            // Reports that are too old count nothing any more.
            try await database.pool.query(
                "update darkroom.reports set created_at = now() - interval '181 days' where comment_id = \(comment)"
            )
            try await database.pool.query("update darkroom.reviews set weigh_at = now()")
            try await database.expire()
            try await database.moderateAll()
            #expect(try await Self.look(comment, in: database) == "published 1 1")
            // A deleted comment keeps its text while a person must decide, and not for ever.
            try await Self.report(comment, by: "eve", .illegal, in: database)
            try await database.pool.query("select darkroom.delete_comment(\(comment), 'ada')")
            try await database.moderateAll()
            #expect(try await Self.look(comment, in: database) == "removed deleted listed 0 0")
            func age(_ days: Int) async throws -> Int {
                try await database.pool.query(
                    "update darkroom.comments set ended_at = now() - make_interval(days => \(days))")
                return try await database.number("select darkroom.prune_comments()")
            }
            #expect(try await age(89) == 0)
            #expect(try await age(91) == 1)
            for table in ["comments", "reports", "reviews"] {
                #expect(
                    try await database.number("select count(*) from darkroom.\(unescaped: table)") == 0,
                    "\(table)")
            }
            let removed = try await Self.add(below: post, in: database)
            _ = try await Self.decide(removed, "remove", in: database)
            #expect(try await age(179) == 0)
            try await database.pool.query("select darkroom.appeal_comment(\(removed), 'bob', 'A joke')")
            #expect(try await age(181) == 0, "an appeal is open")
            _ = try await Self.decide(removed, "remove", in: database)
            #expect(try await age(181) == 1)
            #expect(try await database.number("select count(*) from darkroom.appeals") == 0)
        }
    }

    @Test("and the host neither learns of those that nobody sees nor ends their appeals")
    func host() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let (post, seen) = try await Self.comment(in: database)
            func delete(_ comment: Int64, _ person: String) async throws -> Bool {
                try await database.pool.query(
                    "select darkroom.delete_comment(\(comment), \(person)) as done")[0]
                    .decode("done", as: Bool.self)
            }
            try await Self.hold(in: database)
            let held = try await Self.add(below: post, in: database)
            #expect(try await !delete(held, "ada"))
            // It is announced when it is first seen, whatever came before.
            _ = try await Self.decide(held, "remove", in: database)
            try await database.pool.query("select darkroom.appeal_comment(\(held), 'bob', 'A joke')")
            #expect(try await !delete(held, "ada"))
            #expect(try await Self.decide(held, "restore", in: database) == "published 0 1")
            let events = try await database.texts(
                "select event from darkroom.outbox where comment_id = \(held) order by event_id")
            #expect(
                events == [
                    "comment_held", "comment_removed", "comment_restored", "commented",
                    "comment_appeal_answered",
                ])
            // Its author's own deletion ends an appeal.
            _ = try await Self.decide(held, "remove", in: database)
            try await database.pool.query("select darkroom.appeal_comment(\(held), 'bob', 'A joke')")
            #expect(try await delete(held, "bob"))
            #expect(
                try await database.number("select count(*) from darkroom.appeals where decision_id is null")
                    == 0)
            #expect(try await delete(seen, "ada"))
            #expect(try await database.texts("select distinct body from darkroom.comments") == ["-"])
            #expect(
                try await database.number("select author_removals from darkroom.comment_to_review(\(held))")
                    == 0)
        }
    }

    @Test("and what a person has decided stays decided, whatever is weighed or reported late")
    func late() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            // Deleted and decided on before the weighing that its deletion has queued.
            let first = try await Self.comment("hidden", in: database)
            try await database.pool.query("select darkroom.delete_comment(\(first), 'bob')")
            _ = try await Self.decide(first, "remove", in: database)
            // Reported while it was removed, and then deleted.
            let post = try await Self.post(in: database)
            let second = try await Self.add(below: post, in: database)
            try await database.pool.withConnection { (app: PostgresConnection) async throws -> Void in
                try await app.query("begin")
                try await app.query(
                    "select darkroom.report_comment(\(second), 'eve', 'illegal', reporter_since => '2020-01-01')"
                )
                _ = try await Self.decide(second, "remove", in: database)
                try await app.query("commit")
            }
            let told = try await database.texts("select decision from darkroom.report_decisions('eve')")
            #expect(told == ["removed"])
            try await database.pool.query("select darkroom.delete_comment(\(second), 'bob')")
            try await database.moderateAll()
            for comment in [first, second] {
                #expect(try await Self.look(comment, in: database).hasPrefix("removed deleted 0"))
            }
            #expect(try await database.texts("select distinct body from darkroom.comments") == ["-"])
            // Nobody is left to decide on a comment of an expired post.
            let third = try await Self.comment("reported", in: database)
            try await database.pool.query("update darkroom.posts set expires_at = now()")
            try await database.pool.query("select darkroom.expire_posts()")
            #expect(try await database.number("select count(*) from darkroom.reviews") == 0)
            let gone = try await database.texts(
                "select decision from darkroom.report_decisions('r-0') where comment_id = \(third)")
            #expect(gone == ["gone"])
            // A second job of an erasure that has ended finds nothing to do.
            #expect(try await database.number("select darkroom.erase_person_reactions(404)") == 0)
        }
    }

    @Test("and do not count what nobody sees, after any history", arguments: 0..<Extent.of(1, check: 4))
    func histories(seed: Int) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var random = SplitMix(state: UInt64(seed))
            let post = try await Self.comment(in: database).post
            for step in 0..<150 {
                let comments = try await database.texts("select comment_id::text from darkroom.comments")
                    .compactMap {
                        $0.flatMap { Int64($0) }
                    }
                let one = comments.randomElement(using: &random) ?? 0
                let who = ["ada", "bob", "cleo"].randomElement(using: &random) ?? ""
                let call: PostgresQuery =
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0, 1: "select darkroom.add_comment(\(post), \(who), 'No. ' || \(step))"
                    case 2: "select darkroom.delete_comment(\(one), \(who))"
                    case 3, 4, 5:
                        """
                        select darkroom.report_comment(\(one), 'r-' || n, \(step % 5 == 0 ? "illegal" : "spam"),
                                                       reporter_since => '2020-01-01')
                        from generate_series(1, \(Int.random(in: 1...6, using: &random))) n
                        """
                    case 6:
                        """
                        select darkroom.decide_on_comment(\(one), \(["approve", "remove", "restore"].randomElement(using: &random)),
                                                          'olga')
                        """
                    case 7: "select darkroom.appeal_comment(\(one), \(who), 'No!')"
                    case 8:
                        "select darkroom.read_inbox(\(who), coalesce(pg_sequence_last_value('darkroom.event_numbers'), 0))"
                    default: "select"
                    }
                do {
                    try await database.pool.query(call)
                } catch let error as PostgresError
                    where ["P0002", "55000", "23505"].contains(error.sqlState?.code)
                {}
                if step % 20 == 10 { try await Self.hold(step % 40 == 10 ? 0 : 3, in: database) }
                if step % 3 == 0 { try await database.moderateAll() }
            }
            try await database.moderateAll()
            try await Self.settle(database)
            // Reading empties the inboxes, which the comparison does not know.
            let faults = try await database.inconsistencies().filter { !$0.contains("inbox tells of") }
            #expect(faults == [])
            let wrong = try await database.texts(
                """
                select format('comment %s', c.comment_id) from darkroom.comments c
                left join darkroom.reviews r using (post_id, comment_id)
                where (c.state = 'published') <> (c.comment_id in (
                          select s.comment_id from darkroom.post_comments(c.post_id, at_most => 100) s))
                   or c.state in ('held', 'hidden') and r.comment_id is null
                   or c.is_deleted and r.comment_id is null and c.body <> '-'
                   or not c.is_deleted and c.body = '-'
                   or (c.ended_at is not null) <> (c.state = 'removed')
                union all
                select format('review of comment %s, which is gone', r.comment_id) from darkroom.reviews r
                where r.comment_id > 0 and not exists (select from darkroom.comments c where c.comment_id = r.comment_id)
                """)
            #expect(wrong == [])
        }
    }
}
