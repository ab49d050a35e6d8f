import PlainText

/// One file of `sql/`.
package struct SchemaFile: Sendable, Equatable {
    /// What a file holds, which is told by where it stands.
    package enum Kind: String, Sendable {
        /// `tables/0001_baseline.sql`: applied once, in the order of the numbers. Its text never changes once it was released.
        case table
        /// `pinned/is_link.sql`: a function that stored objects need, such as the expression of an index or a check.
        /// It changes only together with a table file that names it.
        case pinned
        /// `feeds/posts_within.sql`: a function as it is now. A changed text replaces the function.
        case function
        /// `triggers.sql`: all triggers as they are now.
        case triggers
    }

    /// Below `sql/`.
    package let path: String
    package let text: String

    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    package var kind: Kind {
        switch path.split(separator: "/").first {
        case "tables": .table
        case "pinned": .pinned
        case "triggers.sql": .triggers
        default: .function
        }
    }

    /// The file's name without extension; of a function, the function's.
    package var name: String {
        String(path.split(separator: "/").last.map { $0.dropLast(".sql".count) } ?? "")
    }

    /// The roles of an installation that may call the function, besides those that may call all: `-- May be called by: api`.
    package var callers: [String] { directive("May be called by") }

    /// How an app calls the function, one statement without a semicolon: the lines below `-- Example:`.
    package var example: String? {
        let lines = text.split(separator: "\n").drop { $0 != "-- Example:" }.dropFirst()
            .prefix { $0.hasPrefix("--   ") }
        return lines.isEmpty ? nil : lines.map { $0.dropFirst("--   ".count) }.joined(separator: "\n")
    }

    /// The folder's name: the subject.
    package var subject: String { String(path.prefix { $0 != "/" }) }

    /// Signatures of the same function that this text takes the place of: `-- Replaces: name(integer, text)`. PostgreSQL takes
    /// other arguments for another function.
    package var replaced: [String] {
        text.split(separator: "\n").compactMap {
            $0.wholeMatch(of: #/-- Replaces: (.+)/#).map { String($0.1) }
        }
    }

    /// Whether its statements cannot run in a transaction, such as `create index concurrently`: `-- Runs outside a transaction`.
    package var isOutsideTransaction: Bool { text.hasPrefix("-- Runs outside a transaction") }

    /// The functions that the file has put in where it names them: `-- Pinned: is_link, is_blank`.
    package var pinned: [String] { directive("Pinned") }

    /// Guards against mistakes, not against malice.
    package var checksum: String { fingerprint(text.utf8).hexadecimal }

    private func directive(_ name: String) -> [String] {
        let start = "-- \(name): "
        return text.split(separator: "\n").filter { $0.hasPrefix(start) }
            .flatMap { $0.dropFirst(start.count).split(separator: ", ").map(String.init) }
    }
}
