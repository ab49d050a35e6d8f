import JobStore
import Postgres
import TestKit
import Testing

@Suite("Display names that others have or had", .timeLimit(.minutes(15)))
struct DisplayNameRuleTests {
    /// What became of a name that `owner` had.
    private enum Past: String, CaseIterable {
        case never, had, replaced, removed, almostOver, over, takenBack, replacedTwice, erased, erasedLater

        /// Whether the name is only kept.
        var isGivenUp: Bool { [.replaced, .removed, .almostOver, .replacedTwice].contains(self) }
        var isHad: Bool { self == .had || self == .takenBack }
        /// Whether a row says that it was given up.
        var isNoted: Bool { isGivenUp || self == .over }
    }

    private static func set(
        _ person: String, _ name: String?, _ database: QueueDatabase
    ) async throws -> String? {
        do {
            try await database.pool.query("select darkroom.set_display_name(\(person), \(name))")
            return nil
        } catch let error as PostgresError {
            return error.constraint
        }
    }

    private static func configure(unique: Bool, days: Int = 30, _ database: QueueDatabase) async throws {
        try await database.pool.query(
            "update darkroom.settings set unique_names = \(unique), given_up_name_days = \(days)")
    }

    private static func live(
        _ past: Past, _ owner: String, _ name: String, _ database: QueueDatabase
    ) async throws {
        if past != .never { #expect(try await set(owner, name, database) == nil) }
        switch past {
        case .never, .had: break
        case .replaced: #expect(try await set(owner, "Other \(name)", database) == nil)
        case .replacedTwice:
            for other in ["Other", "Another"] {
                #expect(try await set(owner, "\(other) \(name)", database) == nil)
            }
        case .removed, .takenBack, .almostOver, .over, .erasedLater:
            #expect(try await set(owner, nil, database) == nil)
        case .erased: break
        }
        switch past {
        case .takenBack: #expect(try await set(owner, name.lowercased(), database) == nil)
        case .almostOver, .over:
            try await database.pool.query(
                """
                update darkroom.given_up_names
                set given_up_at = now() - interval '30 days' + \(past == .over ? 0 : 1) * interval '1 minute'
                where person = \(owner)
                """)
        case .erased, .erasedLater:
            try await database.pool.query(
                "select darkroom.erase_person_record(darkroom.erase_person(\(owner)))")
        default: break
        }
    }

    @Test("are refused while somebody has them, and for 30 days after, if names are unique; not their owners")
    func wholeDomain() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var number = 0
            for (wasUnique, isUnique) in [(true, true), (true, false), (false, true), (false, false)] {
                for (past, days) in Past.allCases.flatMap({ past in [30, 0].map { (past, $0) } }) {
                    for isOwner in [true, false] {
                        number += 1
                        let (owner, name) = ("owner-\(number)", "Name \(number)")
                        let place: Comment =
                            "\(past) by \(isOwner ? "the owner" : "another"), \(wasUnique) \(isUnique), \(days) days"
                        try await Self.configure(unique: wasUnique, days: days, database)
                        try await Self.live(past, owner, name, database)
                        let noted = try await database.texts(
                            "select person from darkroom.given_up_names where name_key = darkroom.name_key(\(name))"
                        )
                        let isKept = wasUnique && days > 0
                        #expect(noted == (isKept && past.isNoted ? [owner] : []), place)

                        try await Self.configure(unique: isUnique, days: days, database)
                        let refusal: String? =
                            !isUnique || isOwner
                            ? nil
                            : past.isHad
                                ? "display_name_is_taken"
                                : past.isGivenUp && isKept ? "display_name_was_given_up" : nil
                        let asker = isOwner ? owner : "other-\(number)"
                        let told = try await database.pool.query(
                            "select argument, reason, message, retry_after_s from darkroom.check_display_name(\(asker), \(name.uppercased()))"
                        )
                        #expect(
                            try told.map { try $0.decode("reason", as: String.self) }
                                == [refusal].compactMap(\.self),
                            place)
                        #expect(try await Self.set(asker, name.uppercased(), database) == refusal, place)
                        guard let row = told.first else { continue }
                        let seconds = try row.decode("retry_after_s", as: Int?.self)
                        #expect((seconds != nil) == past.isGivenUp, place)
                        if past == .almostOver { #expect((1...60).contains(seconds ?? 0), place) }
                        #expect(
                            try row.decode("message", as: String.self).contains("This one is free from")
                                == past.isGivenUp, place)
                    }
                }
            }
        }
    }

    @Test("may be equal if the app wants, and stay with those who have them when they must be unique again")
    func notUnique() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            #expect(try await Self.set("ann", "Mia", database) == nil)
            try await Self.configure(unique: false, database)
            try await database.withRivals { (first: Rival, second: Rival) async throws -> Void in
                for (rival, person) in [(first, "bob"), (second, "cy")] {
                    try await rival.run("set lock_timeout = '1min'")
                    try await rival.run("begin")
                    try await rival.run("select darkroom.set_display_name(\(person), 'mia')")
                }
                try await first.run("commit")
                try await second.run("commit")
            }
            #expect(
                try await Self.set("dan", "M\u{ad}ia", database) == "display_name_has_no_unseen_characters")
            #expect(
                try await Self.set("dan", "a\u{7}b", database)
                    == "word_is_one_line_of_at_most_100_characters")

            try await Self.configure(unique: true, database)
            let names: PostgresQuery =
                "select person || ' ' || display_name from darkroom.people where display_name is not null order by 1"
            #expect(try await database.texts(names) == ["ann Mia", "bob mia", "cy mia"])
            #expect(try await Self.set("bob", "MIA", database) == nil, "it is their own")
            #expect(try await Self.set("dan", "Mia", database) == "display_name_is_taken")
            #expect(try await Self.set("cy", "Cy", database) == nil)
            #expect(try await Self.set("cy", "Mia", database) == "display_name_is_taken", "a new choice")
            for person in ["ann", "bob"] { #expect(try await Self.set(person, nil, database) == nil) }
            // The last of them.
            #expect(try await Self.set("ann", "Mia", database) == "display_name_was_given_up")
            #expect(try await Self.set("bob", "Mia", database) == nil)
            #expect(try await database.texts(names) == ["bob Mia", "cy Cy"])
        }
    }

    @Test("go to one of those who choose them at once")
    func atOnce() async throws {
        try await QueueDatabase.with(connections: 8) { (database: QueueDatabase) async throws -> Void in
            #expect(try await Self.set("owner", "Mia", database) == nil)
            #expect(try await Self.set("owner", nil, database) == nil)
            try await database.pool.query(
                "update darkroom.given_up_names set given_up_at = now() - interval '1 year'")
            for round in 0..<10 {
                let name = round == 0 ? "Mia" : "Name \(round)"
                let refusals = try await withThrowingTaskGroup(of: String?.self) { group in
                    for person in 0..<8 {
                        group.addTask { try await Self.set("\(round)-\(person)", name, database) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(refusals.count { $0 == "display_name_is_taken" } == 7)
                #expect(refusals.count { $0 == nil } == 1)
            }
            #expect(
                try await database.texts(
                    "select darkroom.name_key(display_name) from darkroom.people group by 1 having count(*) > 1 and min(display_name) is not null"
                ) == [])
        }
    }

    @Test("are kept no longer than they must, and no more than 10 of each person")
    func kept() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            for number in 1...12 { #expect(try await Self.set("eve", "Name \(number)", database) == nil) }
            let kept: PostgresQuery = "select name_key from darkroom.given_up_names order by given_up_at"
            #expect(try await database.texts(kept).count == 10)
            #expect(try await Self.set("ann", "Name 1", database) == nil)
            #expect(try await Self.set("ann", "Name 2", database) == "display_name_was_given_up")
            try await database.pool.query("delete from darkroom.given_up_names where person = 'ann'")
            try await database.pool.query(
                "update darkroom.given_up_names set given_up_at = now() - interval '31 days' where name_key in ('name 2', 'name 3')"
            )
            for expected in ["2 rows of given_up_names", nil] {
                let pruned = try await database.texts("select darkroom.prune_records()")
                #expect(pruned == [expected])
            }
            #expect(try await database.texts(kept).first == "name 4")
            try await Self.configure(unique: false, database)
            #expect(
                try await database.texts("select darkroom.prune_records()") == ["8 rows of given_up_names"])
            #expect(try await database.texts(kept) == [])
        }
    }

    @Test("are refused as the check says before")
    func check() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            #expect(try await Self.set("ann", "Mia", database) == nil)
            #expect(try await Self.set("bob", "Kim", database) == nil)
            #expect(try await Self.set("bob", nil, database) == nil)
            try await database.pool.query("select darkroom.bar_person('rude', 'olga', 'No.')")
            let cases = [
                "'cy', 'Cy'", "'cy', 'MIA'", "'ann', 'MIA'", "'cy', 'kim'", "'bob', 'kim'", "'bob', null",
                "'cy', ' '", "null, 'x'", "'', 'x'", "repeat('x', 201), 'x'", "'rude', 'Mia'", "'rude', null",
                "'rude', repeat('x', 101)", "'cy', repeat('x', 101)", "'cy', repeat('x', 30000)",
                "'cy', E'a\\u0001b'", "'cy', U&'M\\00ADia'", "'cy', U&'\\3164'",
                "'cy', repeat(U&'\\0301', 40)",
                "null, null",
            ]
            for values in cases {
                let told = try await database.texts(
                    PostgresQuery(
                        unescaped:
                            "select argument || ' ' || reason || ' ' || message from darkroom.check_display_name(\(values))"
                    ))
                do {
                    try await database.pool.query(
                        PostgresQuery(unescaped: "select darkroom.set_display_name(\(values))"))
                    #expect(told == [], "\(values)")
                } catch let error as PostgresError {
                    #expect(!told.isEmpty, "\(values)")
                    if let rule = error.constraint {
                        #expect(told.contains { $0?.contains(" \(rule) ") == true }, "\(values) \(told)")
                    }
                    let names = told.filter { $0?.hasPrefix("name ") == true }
                    #expect(
                        !names.contains { $0?.contains("The rule is") == true },
                        "each has a sentence: \(names)")
                }
            }
        }
    }
}
