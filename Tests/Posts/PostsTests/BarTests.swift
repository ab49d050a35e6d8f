import JobStore
import Postgres
import TestKit
import Testing

/// People who may not upload, comment, vote and report.
@Suite("A bar", .timeLimit(.minutes(15)))
struct BarTests {
    /// Everything that a person can do with others' posts or a photo, for `bob`.
    private static let acts = [
        "enqueue_upload('bob', 'originals/x', repeat('ab', 32), 1)",
        """
        enqueue_uploads('[{"uploader": "ada", "headline": "a", "latitude": 1, "longitude": 1},
                          {"uploader": "bob", "headline": "b", "latitude": 1, "longitude": 1}]')
        """,
        "edit_post(2, 'bob', 'Another headline', null, null)", "add_comment(1, 'bob', 'Hello')",
        "vote_on_post(1, 'bob', 'like')", "vote_on_comment(1, 'bob', 'dislike')",
        "report_post(1, 'bob', 'spam')", "report_comment(1, 'bob', 'spam')",
        "set_display_name('bob', 'Spam.example')",
    ]

    /// What a barred person can still do: take back, appeal, and go.
    private static let open = [
        "vote_on_post(3, 'bob', 'none')", "set_display_name('bob', null)", "delete_comment(2, 'bob')",
        "block_author('bob', repeat('0', 24))",
        "delete_post(2, 'bob')",
        "erase_person('bob')",
    ]

    private static func with(_ body: (QueueDatabase, PostgresConnection) async throws -> Void) async throws {
        try await QueueDatabase.with(FeedFixture(3, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("update darkroom.posts set uploader = 'bob' where post_id = 2")
            try await database.pool.query("select darkroom.add_comment(1, 'ada', 'one')")
            try await database.pool.query("select darkroom.add_comment(1, 'bob', 'two')")
            try await database.pool.query("select darkroom.vote_on_post(3, 'bob', 'like')")
            try await database.makeLogins()
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                try await body(database, app)
            }
        }
    }

    private static func refusal(_ act: String, _ app: PostgresConnection) async throws -> PostgresError? {
        do {
            try await app.query(PostgresQuery(unescaped: "begin"))
            try await app.query(PostgresQuery(unescaped: "select darkroom.\(act)"))
            try await app.query(PostgresQuery(unescaped: "rollback"))
            return nil
        } catch let error as PostgresError {
            try await app.query(PostgresQuery(unescaped: "rollback"))
            return error
        }
    }

    @Test(
        "keeps the person from everything that others see, tells them why, and ends by itself or by a moderator"
    )
    func acts() async throws {
        try await Self.with { (database: QueueDatabase, app: PostgresConnection) async throws -> Void in
            func bar(_ end: String) async throws {
                try await database.pool.query(
                    PostgresQuery(
                        unescaped:
                            "select darkroom.bar_person('bob', 'olga', 'Advertising.', \(end), 'third time')")
                )
            }
            for act in Self.acts { #expect(try await Self.refusal(act, app) == nil, "\(act)") }
            for (end, sentence) in [
                ("null", "You cannot post, comment, vote, report or change your name here: Advertising."),
                (
                    "timestamptz '2190-03-04 05:06+00'",
                    "You cannot post, comment, vote, report or change your name here until 4 March 2190, 05:06 UTC: Advertising."
                ),
            ] {
                try await bar(end)
                for act in Self.acts {
                    let error = try await Self.refusal(act, app)
                    #expect(error?.sqlState == .insufficientPrivilege, "\(act)")
                    #expect(error?.constraint == "person_is_barred" && error?.message == sentence, "\(act)")
                    let other = act.replacing("'bob'", with: "'eve'").replacing("\"bob\"", with: "\"eve\"")
                    if !act.hasPrefix("edit_post") {
                        #expect(try await Self.refusal(other, app) == nil, "\(other)")
                    }
                }
                for act in Self.open { #expect(try await Self.refusal(act, app) == nil, "\(act)") }
                for check in [
                    "check_upload('bob', has_photo => true)", "check_comment(1, 'bob', 'Hello')",
                    "check_display_name('bob', 'Spam.example')",
                ] {
                    let told = try await app.query(
                        PostgresQuery(
                            unescaped:
                                "select argument, reason, message, retry_after_s from darkroom.\(check)"))
                    #expect(told.count == 1)
                    #expect(try told[0].decode("reason", as: String.self) == "person_is_barred")
                    #expect(try told[0].decode("message", as: String.self) == sentence)
                    #expect(try (told[0].decode("retry_after_s", as: Int?.self) == nil) == (end == "null"))
                }
            }
            // Its time is over.
            try await database.pool.query(
                "insert into darkroom.bars (person, decider, reason, ends_at) values ('bob', 'olga', 'x', now() - interval '1 s')"
            )
            for act in Self.acts {
                let error = try await Self.refusal(act, app)
                #expect(error == nil, "\(act): \(String(describing: error))")
            }
            try await bar("null")
            #expect(
                try await database.texts("select darkroom.lift_bar('bob', 'hans', 'sorry')::text") == ["true"]
            )
            #expect(try await database.texts("select darkroom.lift_bar('bob', 'hans')::text") == ["false"])
            for act in Self.acts { #expect(try await Self.refusal(act, app) == nil, "\(act)") }
            let history = try await database.texts(
                "select decider || ' ' || is_lifted || ' ' || coalesce(reason, note) from darkroom.bars_of('bob')"
            )
            #expect(
                history == [
                    "hans true sorry", "olga false Advertising.", "olga false x", "olga false Advertising.",
                    "olga false Advertising.",
                ])
        }
    }

    @Test("is listed while it is in force, and pruned when it is not and the records' time is over")
    func listed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for person in 1...5 {
                try await database.pool.query(
                    "select darkroom.bar_person(\("user-\(person)"), 'olga', 'No.', now() + \(person) * interval '1 day')"
                )
            }
            try await database.pool.query("select darkroom.lift_bar('user-2', 'olga')")
            try await database.pool.query("select darkroom.bar_person('user-3', 'hans', 'Still no.')")
            func listed() async throws -> [String?] {
                try await database.texts(
                    "select person || ' ' || reason || ' ' || decider from darkroom.barred_people()")
            }
            let all = ["user-3 Still no. hans", "user-5 No. olga", "user-4 No. olga", "user-1 No. olga"]
            #expect(try await listed() == all)
            let pages = try await database.texts(
                """
                select person from darkroom.barred_people(2, (
                    select cursor from darkroom.barred_people(2) order by decided_at limit 1))
                """)
            #expect(pages == ["user-4", "user-1"])
            let aging: PostgresQuery =
                "update darkroom.bars set decided_at = decided_at - interval '3 years', ends_at = ends_at - interval '1 day'"
            await #expect(throws: PostgresError.self) { try await database.pool.query(aging) }
            try await database.pool.query("alter table darkroom.bars disable trigger bars_append_only")
            try await database.pool.query(aging)
            try await database.pool.query("select darkroom.prune_bars()")
            #expect(try await listed() == Array(all.dropLast()))
            let left = try await database.texts("select person from darkroom.bars order by bar_id")
            #expect(left == ["user-4", "user-5", "user-3"])
            // Its end was written after this transaction had begun.
            try await database.pool.query("select darkroom.bar_person('late', 'olga', 'No.')")
            try await database.pool.withTransaction { transaction in
                try await transaction.query("select now()")
                try await database.pool.query("select darkroom.lift_bar('late', 'olga')")
                let rows = try await transaction.query(
                    """
                    select person from darkroom.barred_people() where person = 'late'
                    union all select reason from darkroom.bar_of('late')
                    """)
                #expect(rows.isEmpty)
            }
        }
    }

    @Test("is a moderator's act, and goes with the person")
    func roles() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            for role in [InstallationRole.api, .reader, .moderator, .operator] {
                try await database.connected(as: role) { (login: PostgresConnection) async throws -> Void in
                    do {
                        try await login.query("select darkroom.bar_person('bob', 'olga', 'No.')")
                        #expect([.moderator, .operator].contains(role))
                    } catch let error as PostgresError {
                        #expect(error.sqlState == .insufficientPrivilege && [.api, .reader].contains(role))
                    }
                }
            }
            let wrong = [
                "'bob', 'olga', ' '", "'bob', null, 'x'", "'bob', 'olga', 'x', now()", "'', 'olga', 'x'",
            ]
            for values in wrong {
                await #expect(throws: PostgresError.self, "\(values)") {
                    try await database.pool.query(
                        PostgresQuery(unescaped: "select darkroom.bar_person(\(values))"))
                }
            }
        }
    }
}
