import Postgres
import TestKit
import Testing

@Suite("Texts of uploads", .timeLimit(.minutes(15)))
struct UploadTextTests {
    /// An argument of `enqueue_upload`, and the constraint that refuses it.
    static let refused: [(String, String)] = [
        ("headline => E'a\\u0007b'", "line_is_one_line_of_at_most_200_characters"),
        ("headline => E'two\\nlines'", "line_is_one_line_of_at_most_200_characters"),
        ("headline => E'turned \\u202E round'", "line_is_one_line_of_at_most_200_characters"),
        ("headline => repeat('é', 201)", "line_is_one_line_of_at_most_200_characters"),
        ("caption => E'a\\u0001b'", "prose_has_at_most_5000_characters_and_no_control_characters"),
        (
            "caption => repeat(E'\\U0001F600', 5001)",
            "a_text_has_at_most_20000_bytes_and_30_combining_marks_in_a_row"
        ),
        ("category => E'a\\tb'", "word_is_one_line_of_at_most_100_characters"),
        ("activity => E'\\u0085x'", "word_is_one_line_of_at_most_100_characters"),
        ("place_text => E'Seattle\\u2028'", "line_is_one_line_of_at_most_200_characters"),
        ("link => 'https://me:secret@example.org/'", linkRule),
        ("link => 'https://me@example.org/'", linkRule),
        ("link => 'https:///path'", linkRule), ("link => 'https://'", linkRule),
        ("link => 'https://good.example\\@evil.example'", linkRule),
        ("link => E'https://example.org/\\u202Efoo'", linkRule),
        ("link => 'ftp://example.org/'", linkRule), ("link => 'javascript:alert(1)'", linkRule),
        ("link => E'https://exa\\u0001mple.org/'", linkRule),
        ("link => E'https://gro.elpmaxe\\u202E/'", linkRule), ("link => 'https://:80/'", linkRule),
        ("taken_at => 'infinity'", timeRule), ("taken_at => '-infinity'", timeRule),
        ("taken_at => '0044-03-15 00:00:00+00 BC'", timeRule),
        ("taken_at => '1799-12-31 23:59:59.999999+00'", timeRule),
        ("taken_at => '2200-01-01 00:00:00+00'", timeRule),
    ]

    static let linkRule = "link_"
    static let timeRule = "moment_is_from_1800_to_2199"

    @Test("are refused if they cannot be shown as they are", arguments: refused)
    func refusal(argument: String, constraint: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            do {
                try await Self.enqueue(argument, in: database)
                Issue.record("\(argument) was accepted")
            } catch let error as PostgresError {
                #expect(error.sqlState == .checkViolation)
                #expect(error.constraint?.hasPrefix(constraint) == true, "\(error.constraint ?? "-")")
            }
        }
    }

    @Test("are accepted with line feeds and composed, and blank ones become null")
    func taken() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.enqueue(
                """
                headline => E'cafe\\u0301', caption => E'one\\r\\ntwo\\tthree', category => E' \\u200B ',
                link => 'https://example.org/a@b?c=d#e', activity => repeat('é', 100), place_text => ''
                """, in: database)
            let rows = try await database.pool.query(
                "select headline, caption, category, link, activity, place_text from darkroom.uploads")
            let row = rows[0]
            #expect(try row.decode("headline", as: String.self).unicodeScalars.count == 4)
            #expect(try row.decode("caption", as: String.self) == "one\ntwo\tthree")
            #expect(try row.decode("category", as: String?.self) == nil)
            #expect(try row.decode("link", as: String?.self) == "https://example.org/a@b?c=d#e")
            #expect(try row.decode("activity", as: String?.self)?.count == 100)
            #expect(try row.decode("place_text", as: String?.self) == nil)
        }
    }

    @Test(
        "accept any time at which a photo can have been taken",
        arguments: ["1800-01-01 00:00:00+00", "2199-12-31 23:59:59.999999+00"])
    func times(time: String) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Self.enqueue("taken_at => '\(time)'", in: database)
            #expect(
                try await database.number("select count(*) from darkroom.uploads where taken_at is not null")
                    == 1)
        }
    }

    private static func enqueue(_ arguments: String, in database: QueueDatabase) async throws {
        try await database.pool.query(
            """
            select darkroom.enqueue_upload(
                uploader => 'ada', original_key => 'originals/x', original_sha256 => repeat('ab', 32),
                original_bytes => 1, \(unescaped: arguments))
            """)
    }
}

/// Other texts that people write. If they cannot be shown, the error names the constraint but does not show the row.
@Suite("Texts of people", .timeLimit(.minutes(15)))
struct PeoplesTextTests {
    static let refused: [(String, String)] = [
        (
            "report_post(1, 'eve', 'spam', E'a\\u0007b')",
            "prose_has_at_most_5000_characters_and_no_control_characters"
        ),
        (
            "report_post(1, 'eve', 'spam', E'turned \\u202E round')",
            "prose_has_at_most_5000_characters_and_no_control_characters"
        ),
        ("report_post(1, 'eve', 'spam', repeat('é', 2001))", "remark_is_at_most_2000_characters"),
        (
            "appeal_post(2, 'user-2', E'a\\u0001b')",
            "prose_has_at_most_5000_characters_and_no_control_characters"
        ),
        (
            "appeal_post(2, 'user-2', E'\\u202Dx')",
            "prose_has_at_most_5000_characters_and_no_control_characters"
        ),
        ("appeal_post(2, 'user-2', E' \\n\\u200B')", "appeal_is_not_blank"),
        ("appeal_post(2, 'user-2', '')", "appeal_is_"),
        (
            "add_comment(1, 'eve', E'a\\u0007b')",
            "prose_has_at_most_5000_characters_and_no_control_characters"
        ),
        ("add_comment(1, 'eve', E' \\n\\u200B')", "comment_is_not_blank"),
        ("add_comment(1, 'eve', '')", "comment_is_"),
    ]

    @Test("are refused if they cannot be shown as they are", arguments: refused)
    func refusal(call: String, constraint: String) async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            do {
                try await database.pool.query("select darkroom.\(unescaped: call)")
                Issue.record("\(call) was accepted")
            } catch let error as PostgresError {
                #expect(error.sqlState == .checkViolation)
                #expect(error.constraint?.hasPrefix(constraint) == true, "\(error.constraint ?? "-")")
                if call.hasPrefix("report") {
                    #expect(!error.description.contains("Failing row"), "it would show the reporter's record")
                }
            }
        }
    }

    @Test("are accepted with line feeds and composed, and blank details become null")
    func taken() async throws {
        try await Self.with { (database: QueueDatabase) async throws -> Void in
            for call in [
                "report_post(1, 'ria', 'spam', E'cafe\\u0301\\r\\ntwo')",
                "report_post(1, 'rob', 'spam', E' \\u200B')",
                "appeal_post(2, 'user-2', E'cafe\\u0301\\r\\n\\ttwo')",
            ] {
                try await database.pool.query("select darkroom.\(unescaped: call)")
            }
            let details = try await database.texts("select details from darkroom.reports order by reporter")
            #expect(details.map { $0?.unicodeScalars.count } == [8, nil])
            let appeals = try await database.texts("select text from darkroom.appeals")
            #expect(appeals.map { $0?.unicodeScalars.count } == [9])
        }
    }

    @Test("name the person of an erasure")
    func nobodysErasure() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let connection = try await PostgresConnection.connect(database.configuration)
            #expect(try await connection.failure("select darkroom.erase_person(null)") == "23502")
            #expect(try await connection.failure("select darkroom.erase_person('')") == .checkViolation)
            await connection.close()
        }
    }

    @Test("are refused without the row and its coordinates, and a category of spaces only is none")
    func blankUploads() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for (arguments, rule) in [
                (
                    "headline => ' ', latitude => 47.6, longitude => -122.3",
                    "upload_without_a_photo_has_a_headline_a_caption_or_a_link"
                ),
                (
                    "link => ' ', place_text => 'Rome'",
                    "upload_without_a_photo_has_a_headline_a_caption_or_a_link"
                ),
                ("headline => 'a', place_text => ' '", "upload_without_a_photo_says_where_it_is"),
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await database.pool.query(
                        "select darkroom.enqueue_upload('ada', \(unescaped: arguments))")
                }
                #expect(error?.constraint == rule && error?.detail == nil)
            }
            try await database.pool.query(
                "select darkroom.enqueue_upload('ada', link => 'https://a.example', place_text => 'Rome')")
            // Not all spaces are spaces to a regular expression.
            for space in ["2007", "202F", "3000", "00A0"] {
                try await database.pool.query(
                    """
                    select darkroom.enqueue_upload(
                        'ada', 'o', repeat('ab', 32), 1, category => U&'\\\(unescaped: space)', activity => U&'\\\(unescaped: space) ')
                    """)
            }
            #expect(
                try await database.texts(
                    "select distinct concat_ws(' ', category, activity) from darkroom.uploads") == [""])
        }
    }

    /// Post 1 is visible. Post 2 is hidden and belongs to `user-2`.
    private static func with(_ body: (QueueDatabase) async throws -> Void) async throws {
        try await QueueDatabase.with(FeedFixture(2, areVotedOn: false)) {
            (database: QueueDatabase) async throws -> Void in
            try await database.pool.query(
                "update darkroom.posts set state = 'hidden', uploader = 'user-2' where post_id = 2")
            try await body(database)
        }
    }
}
