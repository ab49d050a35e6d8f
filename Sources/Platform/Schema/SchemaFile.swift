import PlainText

/// One file of `sql/`.
package struct SchemaFile: Sendable, Equatable {
    /// The kind of a file, which follows from its path.
    package enum Kind: String, Sendable {
        /// `tables/0001_baseline.sql`: applied once, in numeric order. Its text never changes after its release.
        case table
        /// `pinned/is_link.sql`: a function that stored objects depend on, such as an index expression or a check.
        /// It changes only together with a table file that names it.
        case pinned
        /// `feeds/posts_within.sql`: the current version of a function. A changed text replaces the function.
        case function
        /// One statement of `triggers.sql`: a trigger in its current form, by the name `feed_of_changed on posts`.
        case trigger
        /// A constraint that a table file adds without a look at the rows, by the name `caption_is_short on posts`.
        case constraint
    }

    /// Relative to `sql/`.
    package let path: String
    package let text: String
    package let kind: Kind
    /// The file's name without extension; in a function file this is the function's name.
    package let name: String

    package init(path: String, text: String) {
        self.path = path
        self.text = text
        let names = path.split(separator: "/")
        kind =
            switch names.first {
            case "tables": .table
            case "pinned": .pinned
            case "triggers", "triggers.sql": .trigger
            default: .function
            }
        name = String(names.last?.dropLast(".sql".count) ?? "")
    }

    /// The roles that may call the function, besides those that may call all functions: `-- May be called by: api`.
    package var callers: [String] { directive("May be called by") }

    /// How an app calls the function, as one statement without a semicolon: the lines below `-- Example:`.
    package var example: String? {
        let lines = text.split(separator: "\n").drop { $0 != "-- Example:" }.dropFirst()
            .prefix { $0.hasPrefix("--   ") }
        return lines.isEmpty ? nil : lines.map { $0.dropFirst("--   ".count) }.joined(separator: "\n")
    }

    /// The subject: the folder's name.
    package var subject: String { String(path.prefix { $0 != "/" }) }

    /// Older signatures that this function replaces: `-- Replaces: name(integer, text)`. To PostgreSQL, a function
    /// with other arguments is a different function.
    package var replaced: [String] { lines(startingWith: "-- Replaces: ").map(String.init) }

    /// Whether its statements cannot run in a transaction, such as `create index concurrently`: `-- Runs outside a transaction`.
    package var isOutsideTransaction: Bool { text.hasPrefix("-- Runs outside a transaction") }

    /// The pinned functions to insert where the file names them: `-- Pinned: is_link, is_blank`.
    package var pinned: [String] { directive("Pinned") }

    /// The constraints that the file adds as `not valid`, for `migrate` to validate when the rest is committed:
    /// `-- Validates: caption_is_short on posts`. Only so does nobody wait while it looks at every row.
    package var validated: [String] { directive("Validates") }

    /// Guards against mistakes, not against malice.
    package var checksum: String { fingerprint(text.utf8).hexadecimal }

    /// What `migrate` applies one by one: a function and its copies, and of `triggers.sql` each trigger, so that a change of
    /// one locks one table.
    package var parts: [SchemaFile] {
        guard path == "triggers.sql" else { return [self] + copies }
        return text.split(separator: ";\n").compactMap { statement in
            statement.firstMatch(of: #/create or replace trigger (\w+)\s[^;]*?\son darkroom\.(\w+)/#).map {
                SchemaFile(path: "triggers/\($0.1) on \($0.2).sql", text: "\(statement);\n")
            }
        }
    }

    /// Functions that differ in some words: `-- Copy: in_wide_tile, with wide_tile for tile, 11 for 15`. The planner needs each
    /// column's name in a text of its own.
    private var copies: [SchemaFile] {
        lines(startingWith: "-- Copy: ").compactMap { line in
            guard let copy = line.wholeMatch(of: #/(\w+), with (.+)/#) else { return nil }
            let words =
                copy.2.split(separator: ", ").map { $0.split(separator: " for ") } + [[copy.1, name[...]]]
            let source = text.replacing(#/(?m)^-- Copy: .+\n/#, with: "")
            return SchemaFile(
                path: "\(subject)/\(copy.1).sql",
                text: source.replacing(#/[A-Za-z0-9_]+/#) { word in
                    words.first { $0[1] == word.output }?[0] ?? word.output
                })
        }
    }

    private func directive(_ name: String) -> [String] {
        lines(startingWith: "-- \(name): ").flatMap { $0.split(separator: ", ").map(String.init) }
    }

    /// What follows `start` in lines that begin with it. All files are searched several times, so it looks at bytes.
    private func lines(startingWith start: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: start.utf8) }
            .map { Substring($0.dropFirst(start.utf8.count)) }
    }
}
