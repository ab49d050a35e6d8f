import ChildProcess
import FoundationEssentials
import Postgres
import Posts
import TestKit
import Testing

@Suite("Reviewing from the command line", .timeLimit(.minutes(15)))
struct ReviewCommandTests {
    /// Publishes a photo of Seattle and reports it from this many old accounts.
    private static func publish(
        _ darkroom: Installation, progressive: Bool = false, reports: Int = 0
    ) async throws -> Int64 {
        let photo = PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, progressive: progressive)
        let path = try darkroom.write(photo, to: "photo.jpg")
        _ = try await darkroom.json("enqueue", "--uploader", "ada", path)
        try await darkroom.drain()
        let rows = try await darkroom.database.pool.query("select max(post_id) as post from darkroom.posts")
        let post = try rows[0].decode("post", as: Int64.self)
        for reporter in 0..<reports {
            try await darkroom.database.pool.query(
                """
                select darkroom.report_post(\(post), \("r\(reporter)"), 'spam', reporter_since => now() - interval '1 year')
                """)
        }
        if reports > 0 { try await darkroom.drain() }
        return post
    }

    @Test("a post is listed, shown and removed with a statement, and a similar photo is held")
    func removal() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await Self.publish(darkroom, reports: 5)
            let items = try await darkroom.json("review", "list")
            #expect(items.map { $0.number("post_id") } == [Double(post)])
            #expect(items[0].string("state") == "hidden" && items[0].string("cause") == "score")

            let shown = try #require(try await darkroom.json("review", "show", "\(post)").first)
            #expect(shown.array("evidence").map { $0.number("counted") } == [1, 1, 1, 1, 1])
            #expect(shown.array("decisions").last?.string("decision") == "hide")
            let text = try await darkroom.command(["review", "show", "\(post)"]).runSuccessfully()
                .standardOutput
            #expect(text.contains("5.00 of 5.00") && text.contains("a rule"))
            #expect(text.contains("decide    approve or remove\n"))
            // The refusal refers to 'review show'.
            let refused = try await darkroom.command(["review", "restore", "\(post)"]).run()
            #expect(refused.ending == .exited(1) && refused.standardError.contains("review show \(post)"))

            let removed = try #require(
                try await darkroom.json(
                    "review", "remove", "\(post)", "--reviewer", "olga", "--law", "§ 1", "--note", "No."
                ).first)
            #expect(removed.string("state") == "removed" && removed.number("reports_judged") == 5)
            let decision = Int(try #require(removed.number("decision_id")))
            let statement = try #require(try await darkroom.json("review", "statement", "\(decision)").first)
            #expect(statement.string("decision_ground") == "DECISION_GROUND_ILLEGAL_CONTENT")
            #expect(statement.string("illegal_content_legal_ground") == "§ 1")
            #expect(statement.string("automated_decision") == "AUTOMATED_DECISION_NOT_AUTOMATED")
            #expect(statement.string("source_type") == "SOURCE_TYPE_OTHER_NOTIFICATION")
            func exported(_ period: String...) async throws -> [Substring] {
                try await darkroom.command(["review", "export"] + period).runSuccessfully()
                    .standardOutput.split(separator: "\n")
            }
            let lines = try await exported("--since", "1d")
            #expect(lines.count == 2 && lines[0].contains("\"puid\":\"decision-\(decision - 1)\""))
            #expect(lines[1].contains("\"illegal_content_legal_ground\":\"§ 1\""))
            #expect(try await exported("--since", "2d", "--until", "1d").isEmpty)
            let letter = try await darkroom.command(["review", "statement", "\(decision)"]).runSuccessfully()
                .standardOutput
            for part in [
                "Restriction:", "Scope:", "Duration:", "Facts", "Automated means:", "Legal ground: § 1",
                "Redress:",
            ] {
                #expect(letter.contains(part))
            }

            let second = try await darkroom.command(
                ["review", "restore", "\(post)", "--reviewer", "piet"]).run()
            #expect(second.ending == .exited(1))
            #expect(second.standardError.contains("was decided by olga"))
            let again = try await darkroom.command(["review", "show", "\(post)"]).runSuccessfully()
                .standardOutput
            #expect(again.contains("decide    restore; anyone but olga, who decided "))
            #expect(again.contains(" s ago, needs --seen \(decision)\n"))

            let copy = try await Self.publish(darkroom, progressive: true)
            let held = try #require(try await darkroom.json("review", "list").first)
            #expect(held.number("post_id") == Double(copy) && held.string("cause") == "look_alike")
            #expect(try await darkroom.json("posts", "list").isEmpty)
            _ = try await darkroom.json("review", "approve", "\(copy)")
            #expect(try await darkroom.json("posts", "list").map { $0.number("post_id") } == [Double(copy)])
            #expect(try await darkroom.json("review", "list").isEmpty)
            try await darkroom.database.pool.query("select darkroom.notify_of_events()")
            let events = try await darkroom.json("events", "tail", "--from-start")
            #expect(
                events.filter { $0.number("post_id") == Double(copy) }.map { $0.string("event") }
                    == ["held", "published"])
            #expect(events.allSatisfy { $0.string("uploader") != nil })

            let appeal = try await darkroom.json(
                "review", "appeal", "\(post)", "--uploader", "ada", "--text", "Why?")
            #expect(appeal.first?.number("appeal_id") == 1)
            let granted = try await darkroom.json(
                "review", "restore", "\(post)", "--reviewer", "piet", "--seen", "\(decision)")
            #expect(granted.first?.number("appeal_id") == 1)
            let none = try await darkroom.command(
                ["review", "appeal", "\(post)", "--uploader", "ada", "--text", "Thanks."]).run()
            #expect(none.ending == .exited(1) && none.standardError.contains("nothing to appeal against"))
        }
    }

    @Test("comments are reviewed like posts")
    func comments() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            let post = try await Self.publish(darkroom)
            try await pool.query("select darkroom.add_comment(\(post), 'eve', \("You\nare ugly"))")
            #expect(try await darkroom.json("review", "comments", "list").isEmpty)
            for reporter in 1...5 {
                try await pool.query(
                    """
                    select darkroom.report_comment(
                        1, \("r\(reporter)"), 'harassment', 'Rude', reporter_since => now() - interval '1 year')
                    """)
            }
            try await darkroom.drain()
            let listed = try #require(try await darkroom.json("review", "comments", "list").first)
            #expect(listed.string("state") == "hidden" && listed.string("cause") == "score")
            let shown = try await darkroom.command(["review", "comments", "show", "1"]).runSuccessfully()
                .standardOutput
            #expect(
                shown.contains("Comment 1 below post \(post): hidden, of eve")
                    && shown.contains("counts 1.00: Rude"))
            let nothing = try await darkroom.command([
                "review", "comments", "restore", "1", "--reviewer", "olga",
            ]).run()
            #expect(
                nothing.ending == .exited(1)
                    && nothing.standardError.contains(
                        "'darkroom review comments show 1' lists the possible decisions")
            )
            let decided = try #require(
                try await darkroom.json(
                    "review", "comments", "remove", "1", "--terms", "section 4", "--reviewer", "olga"
                ).first)
            #expect(decided.string("state") == "removed" && decided.number("reports_judged") == 5)
            let late = try await darkroom.command([
                "review", "comments", "restore", "1", "--reviewer", "piet",
            ]).run()
            #expect(late.standardError.contains("comment 1 was decided by olga"))
            let letter = try await darkroom.command(
                ["review", "statement", "\(Int(decided.number("decision_id") ?? 0))"]
            ).runSuccessfully().standardOutput
            #expect(
                letter.contains("on comment 1") && letter.contains("Restriction: The comment was removed."))
            #expect(
                try await darkroom.command(["review", "export", "--since", "1d"]).runSuccessfully()
                    .standardOutput
                    .contains("CONTENT_TYPE_TEXT"))
            for wrong in [["show", "x"], ["show", "404"], ["approve", "404"], ["list", "--after", "x"]] {
                let output = try await darkroom.command(["review", "comments"] + wrong).run()
                #expect(output.ending != .exited(0) && !output.standardError.isEmpty, "\(wrong)")
            }
        }
    }

    @Test("an empty option counts as not given, except for the law, which has no default")
    func emptyTexts() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await Self.publish(darkroom)
            for law in ["", " "] {
                let refused = try await darkroom.command(["review", "remove", "\(post)", "--law", law]).run()
                #expect(refused.ending == .exited(64) && refused.standardError.contains("--law"))
            }
            #expect(try await darkroom.json("posts", "list").count == 1, "it still exists")
            let removed = try #require(
                try await darkroom.json("review", "remove", "\(post)", "--terms", "", "--note", "").first)
            let decision = Int(try #require(removed.number("decision_id")))
            let statement = try #require(try await darkroom.json("review", "statement", "\(decision)").first)
            #expect(statement.string("incompatible_content_ground") == "the rules of this service")
            let explanation = statement.string("incompatible_content_explanation")
            #expect(explanation?.contains("A reviewer looked at the post") == true)
        }
    }

    @Test("a post's texts are shown without control characters")
    func hostileTexts() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await Self.publish(darkroom)
            // As older releases accepted them.
            try await darkroom.database.pool.query(
                """
                update darkroom.posts set uploader = E'ada\\u001b[31m', headline = E'one\\u001b]0;x\\u0007',
                    caption = E'two\\u009b2J\\nthree', category = E'\\u202efour', activity = E'five\\r'
                """)
            for arguments in [["posts", "show", "\(post)"], ["posts", "list"]] {
                let shown = try await darkroom.command(arguments).runSuccessfully().standardOutput
                #expect(shown.contains("one"))
                let hostile = shown.unicodeScalars.filter {
                    $0.value != 0x0A
                        && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E)
                }
                #expect(hostile.isEmpty, "\(arguments): \(hostile)")
            }
        }
    }

    @Test("approving an expired post makes it expired, and the output says so")
    func over() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let posts = [try await Self.publish(darkroom, reports: 5), try await Self.publish(darkroom)]
            try await darkroom.database.pool.query(
                "insert into darkroom.expiry_policies (lifetime, note) values ('1 hour', 'test')")
            try await darkroom.database.pool.query(
                "update darkroom.posts set published_at = now() - interval '61 minutes' where post_id = \(posts[0])"
            )
            let answer = try await darkroom.command(["review", "approve", "\(posts[0])"]).runSuccessfully()
                .standardOutput
            #expect(answer.contains("is expired") && answer.contains("because it has expired"))
            let shown = try await darkroom.command(["review", "show", "\(posts[0])"]).runSuccessfully()
                .standardOutput
            #expect(shown.contains("decide    nothing can be decided now"))

            try await darkroom.database.pool.query("select darkroom.delete_post(\(posts[1]), 'ada')")
            let late = try await darkroom.command(["review", "restore", "\(posts[1])"]).run()
            #expect(late.ending == .exited(1) && late.standardError.contains("was deleted"))
            #expect(!late.standardError.contains("PL/pgSQL"))
        }
    }

    @Test("the list and the post say that its uploader has deleted it, and the decision erases it")
    func deleted() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await Self.publish(darkroom, reports: 5)
            try await darkroom.database.pool.query("select darkroom.delete_post(\(post), 'ada')")
            #expect(try await darkroom.json("review", "list").first?.bool("deleted") == true)
            let list = try await darkroom.command(["review", "list"]).runSuccessfully().standardOutput
            #expect(list.contains("score, deleted"))
            let shown = try await darkroom.command(["review", "show", "\(post)"]).runSuccessfully()
                .standardOutput
            #expect(shown.contains("deleted   by its uploader") && shown.contains("approve or remove"))
            let answer = try await darkroom.command(["review", "approve", "\(post)"]).runSuccessfully()
            #expect(answer.standardOutput.contains("Its uploader has deleted it, and now it is erased."))
            #expect(!answer.standardError.contains("review statement"))
            try await darkroom.drain()
            let gone = try await darkroom.command(["review", "show", "\(post)"]).run()
            #expect(gone.ending == .exited(1) && gone.standardError.contains("no post \(post)"))
        }
    }

    @Test("a post that was located by a more lenient policy is shown once it is relocated")
    func location() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await Self.publish(darkroom, reports: 5)
            try await darkroom.database.pool.query(
                "insert into darkroom.location_policies (privacy, minimum_population, note) values ('grid_1km', 0, '')"
            )
            let shown = try await darkroom.command(["review", "show", "\(post)"]).runSuccessfully()
                .standardOutput
            #expect(shown.contains("location  too exact"))
            let refused = try await darkroom.command(["review", "approve", "\(post)"]).run()
            #expect(refused.ending == .exited(1))
            #expect(refused.standardError.contains("'darkroom posts relocate --post \(post)'"))
            #expect(try await darkroom.relocate("--post", "\(post)").number("posts") == 1)
            try await darkroom.command(["review", "approve", "\(post)"]).runSuccessfully()
        }
    }

    @Test(
        "a parameter that does not decide on hiding cannot be tried",
        arguments: [
            ("look-alike-distance", "3"), ("removals-to-hold", "2"), ("removals-within", "1d"),
            ("terms", "T"), ("redress", "R"), ("restore-share", "0.4"),
        ])
    func untriable(parameter: String, value: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let refused = try await darkroom.command(
                ["policy", "try", "--hide-threshold", "6", "--\(parameter)", value]
            ).run()
            #expect(refused.ending == .exited(64))
            #expect(
                refused.standardError.contains("--\(parameter) cannot be tried: a trial shows which posts"))
            try await darkroom.command(["policy", "set", "--\(parameter)", value, "--note", "n"])
                .runSuccessfully()
        }
    }

    @Test("a policy is shown, tried, set and listed")
    func policy() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await Self.publish(darkroom, reports: 5)
            let tried = try #require(
                try await darkroom.json("policy", "try", "--hide-threshold", "6", "--since", "1d").first)
            #expect(tried.number("posts") == 1 && tried.number("only_by_in_force", "count") == 1)
            let text = try await darkroom.command(
                ["policy", "try", "--hide-threshold", "6", "--since", "1d"]).runSuccessfully().standardOutput
            let line = "hidden only by the policy in force  1, of which people removed 0 and approved 0"
            #expect(text.contains(line))

            let set = try #require(
                try await darkroom.json(
                    "policy", "set", "--hide-threshold", "6", "--urgent-reasons", "illegal,spam",
                    "--burst-window", "90s",
                    "--note", "more"
                ).first)
            #expect(set.number("version") == 2 && set.number("burst_window") == 90)
            let shown = try await darkroom.command(["policy", "show"]).runSuccessfully().standardOutput
            #expect(shown.contains("illegal,spam"))
            let first = try #require(try await darkroom.json("policy", "show", "--version", "1").first)
            #expect(first.number("hide_threshold") == 5)
            let list = try await darkroom.command(["policy", "list"]).runSuccessfully().standardOutput
            #expect(list.contains("hide-threshold 5 → 6"))

            for command in ["set", "try"] {
                let odd = try await darkroom.command(
                    ["policy", command, "--shared-share", "0"] + (command == "set" ? ["--note", "x"] : [])
                ).run()
                #expect(odd.ending == .exited(1))
                #expect(odd.standardError.contains("shared share is above 0 to 1"))
            }
        }
    }
}
