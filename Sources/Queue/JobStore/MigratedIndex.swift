import Migrations

/// An index that the migrations make, read from their text: `create index` statements, less what later
/// statements drop.
package struct MigratedIndex: Sendable {
    package let name: String
    package let table: String
    /// The statement that makes it, without a semicolon.
    package let definition: String

    /// Those that a migrated database has, beside the indexes of unique constraints.
    package static let all: [MigratedIndex] = made(by: Migration.all.map(\.sql))

    /// Whether it is a table's primary key.
    package let isPrimaryKey: Bool

    /// Follows `create table` with a primary key, `create index`, `drop index`, `drop table` and `alter table … rename to` of the schema `darkroom`,
    /// each at the beginning of a line and a statement on its own.
    static func made(by scripts: [String]) -> [MigratedIndex] {
        var indexes: [MigratedIndex] = []
        for script in scripts {
            for statement in statements(of: script) {
                let words = statement.split(whereSeparator: { $0.isWhitespace || $0 == "(" }).map(String.init)
                switch words.prefix(2) {
                case ["create", "index"], ["create", "unique"]:
                    guard let on = words.firstIndex(of: "on"), on + 1 < words.count else { continue }
                    indexes.append(
                        MigratedIndex(
                            name: words[on - 1], table: bare(words[on + 1]), definition: statement,
                            isPrimaryKey: false))
                case ["create", "table"] where statement.contains("primary key"):
                    guard let key = primaryKey(of: statement) else { continue }
                    let table = bare(words[2])
                    indexes.append(
                        MigratedIndex(
                            name: "\(table)_pkey", table: table,
                            definition: "alter table darkroom.\(table) add primary key \(key)",
                            isPrimaryKey: true))
                case ["drop", "index"]: indexes.removeAll { $0.name == bare(words[2]) }
                case ["drop", "table"]: indexes.removeAll { $0.table == bare(words[2]) }
                case ["alter", "table"] where words.count == 6 && words[3] == "rename":
                    let old = bare(words[2])
                    indexes = indexes.map { index in
                        index.table == old
                            ? MigratedIndex(
                                name: index.isPrimaryKey ? "\(words[5])_pkey" : index.name, table: words[5],
                                definition: index.definition.replacing(
                                    "darkroom.\(old) ", with: "darkroom.\(words[5]) "),
                                isPrimaryKey: index.isPrimaryKey)
                            : index
                    }
                default: break
                }
            }
        }
        return indexes
    }

    /// Statements that begin with a word in the first column and end with a semicolon at the end of a line.
    private static func statements(of script: String) -> [String] {
        var statements: [String] = []
        var current: [Substring]?
        for line in script.split(separator: "\n") {
            if current == nil, ["create ", "drop ", "alter "].contains(where: line.hasPrefix) {
                current = []
            }
            guard current != nil else { continue }
            current?.append(line.hasPrefix(" ") ? line.drop { $0 == " " } : line)
            if line.hasSuffix(";") {
                statements.append(String((current ?? []).joined(separator: " ").dropLast()))
                current = nil
            }
        }
        return statements
    }

    /// `(a, b)`, of a constraint of the table or of the column that it stands behind.
    private static func primaryKey(of statement: String) -> String? {
        guard let range = statement.firstRange(of: "primary key") else { return nil }
        let rest = statement[range.upperBound...]
        if rest.hasPrefix(" ("), let end = rest.firstIndex(of: ")") {
            return String(rest[...end].dropFirst())
        }
        let column = statement[..<range.lowerBound].split(whereSeparator: { "(,".contains($0) }).last
        return column?.split(separator: " ").first.map { "(\($0))" }
    }

    private static func bare(_ name: String) -> String {
        name.hasPrefix("darkroom.") ? String(name.dropFirst("darkroom.".count)) : name
    }
}
