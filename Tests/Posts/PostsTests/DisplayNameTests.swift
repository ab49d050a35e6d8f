import JobStore
import Postgres
import TestKit
import Testing

@Suite("Display names", .timeLimit(.minutes(15)))
struct DisplayNameTests {
    @Test("that two people want at once, or that one gives up, go to the first, and neither waits")
    func race() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for (person, name) in [("ann", "Zoë"), ("bob", "Mia")] {
                try await database.pool.query("select darkroom.set_display_name(\(person), \(name))")
            }
            for name in ["Kim", "Mia", nil] {
                try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                    for rival in [first, second] {
                        try await rival.run("set lock_timeout = '1min'")
                        try await rival.run("begin")
                    }
                    let isTaken = name == "Mia"
                    if !isTaken {
                        try await first.run("select darkroom.set_display_name('ann', \(name))")
                    }
                    // It is free only if the first one commits.
                    let error = await #expect(throws: PostgresError.self) {
                        try await second.run("select darkroom.set_display_name('bob', 'ZOË')")
                    }
                    #expect(
                        error?.sqlState == .uniqueViolation && error?.constraint == "display_name_is_taken")
                    // One's own name is no other's.
                    try await first.run("select darkroom.set_display_name('ann', 'Zoë')")
                    try await first.run("rollback")
                }
            }
        }
    }

    @Test("that are taken are refused without waiting for a review of their owner, and without showing them")
    func reviewed() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("select darkroom.set_display_name('ann', 'Zoë')")
            try await database.withRivals { (reviewing: Rival, naming: Rival) async throws -> Void in
                try await reviewing.run("begin")
                try await reviewing.run("update darkroom.people set agreed = agreed + 1 where person = 'ann'")
                try await naming.run("set lock_timeout = '1min'")
                let error = await #expect(throws: PostgresError.self) {
                    try await naming.run("select darkroom.set_display_name('bob', 'ZOË')")
                }
                #expect(error?.sqlState == .uniqueViolation && error?.constraint == "display_name_is_taken")
                #expect(error.map { "\($0)" }?.lowercased().contains("zoë") == false)
                try await reviewing.run("rollback")
            }
        }
    }

    @Test("do not make the registration of the same person wait")
    func registration() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.withRivals { (naming: Rival, seeing: Rival) async throws -> Void in
                try await naming.run("begin")
                try await naming.run("select darkroom.set_display_name('ann', 'Zoë')")
                try await seeing.run("set lock_timeout = '1min'")
                try await seeing.run("select darkroom.note_person_seen('ann')")
                try await naming.run("commit")
            }
            #expect(try await database.texts("select display_name from darkroom.people") == ["Zoë"])
        }
    }

    @Test("each belong to one person, whatever the case, and are shown with posts")
    func names() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            try await database.publishPosts(40, areVotedOn: false)
            try await database.connected(as: .api) { (app: PostgresConnection) async throws -> Void in
                func set(_ person: String, _ name: String?) async throws -> SQLState? {
                    do {
                        try await app.query("select darkroom.set_display_name(\(person), \(name))")
                        return nil
                    } catch let error as PostgresError { return error.sqlState }
                }
                #expect(try await set("user-3", "Zoë") == nil)
                #expect(
                    try await set("user-4", "ZOE\u{308}") == .uniqueViolation,
                    "the same, in another case and form")
                #expect(try await set("user-4", "\u{ff3a}oë") == .uniqueViolation, "and another width")
                #expect(try await set("user-4", "a\u{7}b") == .checkViolation)
                #expect(try await set("user-4", String(repeating: "x", count: 101)) == .checkViolation)
                #expect(try await set("user-4", "Bob") == nil)
                #expect(try await set("user-4", "  ") == nil, "taken back")
                #expect(try await set("user-5", "bob") == .uniqueViolation, "and kept for a while")
                #expect(try await set("user-4", "bob") == nil, "for its former owner")
                let rows = try await app.query(
                    "select uploader, display_name from darkroom.latest_posts(100)")
                #expect(rows.count == 40)
                for row in rows {
                    let names = ["user-3": "Zoë", "user-4": "bob"]
                    let uploader = try row.decode("uploader", as: String.self)
                    let name = try row.decode("display_name", as: String?.self)
                    #expect(name == names[uploader], "\(uploader)")
                }
            }
        }
    }

    /// Names that equal the first or look like it.
    static let imitations: [(String, String, SQLState)] = [
        ("Mia", "Mia ", .uniqueViolation), ("Mia", "\u{a0}Mia\t", .uniqueViolation),
        ("Mia", "MIA\u{200b}", .uniqueViolation), ("Mia", "M\u{200b}ia", .checkViolation),
        ("Mia", "M\u{ad}ia", .checkViolation), ("Mia", "Mia\u{2069}", .checkViolation),
        ("Mia", "\u{200e}Mia", .checkViolation), ("Mia", "M\u{200d}ia", .checkViolation),
        ("Mia", "M\u{200c}ia", .checkViolation), ("Mia", "Mi\u{fe0f}a", .checkViolation),
        ("Mia", "Mia\u{34f}", .checkViolation), ("Mia", "Mi\u{e0061}a", .checkViolation),
        ("Mia", "M\u{ffa0}ia", .checkViolation), ("Mia", "M\u{131}a", .uniqueViolation),
        ("Mia Lee", "Mia  Lee", .uniqueViolation), ("Mia Lee", "Mia\u{3000}lee", .uniqueViolation),
        ("Mia Lee", "Mia\u{2800}Lee", .uniqueViolation),
        ("Stra\u{df}e", "STRASSE", .uniqueViolation), ("strasse", "STRA\u{1e9e}E", .uniqueViolation),
        ("\u{39f}\u{394}\u{3a3}", "\u{3bf}\u{3b4}\u{3c2}", .uniqueViolation),
        ("\u{2764}", "\u{2764}\u{fe0f}", .uniqueViolation),
        ("\u{639}\u{644}\u{6cc}\u{631}", "\u{639}\u{644}\u{6cc}\u{200c}\u{631}", .uniqueViolation),
    ]

    @Test("cannot be imitated with invisible characters", arguments: imitations)
    func imitation(name: String, other: String, state: SQLState) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.pool.query("select darkroom.set_display_name('ada', \(name))")
            do {
                try await database.pool.query("select darkroom.set_display_name('eve', \(other))")
                Issue.record("\(other) was taken")
            } catch let error as PostgresError {
                #expect(error.sqlState == state)
                #expect(
                    error.constraint
                        == (state == .uniqueViolation
                            ? "display_name_is_taken" : "display_name_has_no_unseen_characters"))
            }
            // The same person may write it differently if it can be shown.
            if state == .uniqueViolation {
                try await database.pool.query("select darkroom.set_display_name('ada', \(other))")
            }
        }
    }

    static let unseen = [
        "\u{3164}", "\u{2800}", "a\u{fe0f}", "1\u{fe0f}", "\u{e0067}", "\u{115f}x", "x\u{2066}",
    ]
    static let scripts = [
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}", "1\u{fe0f}\u{20e3}",
        "\u{2764}\u{fe0f} Mia",
        "\u{639}\u{644}\u{6cc}\u{200c}\u{631}\u{636}\u{627}", "\u{d28}\u{d4d}\u{200d}", "Zo\u{eb}",
        "\u{c870}\u{c138}",
    ]

    @Test("may have what emoji and scripts need, and are refused if nothing of them is visible")
    func scripts() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let connection = try await PostgresConnection.connect(database.configuration)
            for name in Self.unseen {
                let failure = try await connection.failure(
                    "select darkroom.set_display_name('ada', '\(name)')")
                #expect(failure == .checkViolation, "\(name.unicodeScalars)")
            }
            for name in Self.scripts {
                try await connection.query("select darkroom.set_display_name('ada', \(name))")
                let kept = try await database.texts("select display_name from darkroom.people")
                let scalars = kept.map { $0.map { Array($0.unicodeScalars) } }
                #expect(scalars == [Array(name.unicodeScalars)])
            }
            await connection.close()
        }
    }
}
