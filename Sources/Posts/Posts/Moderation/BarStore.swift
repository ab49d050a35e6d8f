package import FoundationEssentials
package import Postgres

/// A person who may not upload, comment, vote and report, or the end of such a bar.
package struct Bar: Sendable {
    package let person: String
    package let decider: String
    package let decidedAt: Date
    /// Nil for the end of the bar before it.
    package let reason: String?
    /// Nil for good.
    package let endsAt: Date?
    package let note: String?
}

/// All SQL for barring people. The SQL functions document the rules.
package struct BarStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// - Parameters:
    ///   - reason: told to the person.
    ///   - note: for moderators.
    package func bar(
        _ person: String, by moderator: String, reason: String, until end: Date?, note: String?
    ) async throws {
        try await pool.query(
            "select darkroom.bar_person(\(person), \(moderator), \(reason), \(end), \(note))")
    }

    /// Returns false if the person was not barred.
    package func lift(_ person: String, by moderator: String, note: String?) async throws -> Bool {
        let rows = try await pool.query(
            "select darkroom.lift_bar(\(person), \(moderator), \(note)) as was_barred")
        return try rows[0].decode("was_barred", as: Bool.self)
    }

    /// The people who are barred now, the latest first.
    package func barred(atMost limit: Int) async throws -> [Bar] {
        var bars: [Bar] = []
        var cursor: String?
        while bars.count < limit {
            let rows = try await pool.query(
                "select * from darkroom.barred_people(\(Int64(min(100, limit - bars.count))), \(cursor))")
            guard let last = rows.last else { break }
            bars += try rows.map { try Bar($0, person: $0.decode("person")) }
            cursor = try last.decode("cursor")
        }
        return bars
    }

    /// All bars of a person and their ends, the last first.
    package func bars(of person: String) async throws -> [Bar] {
        try await pool.query("select * from darkroom.bars_of(\(person))").map { try Bar($0, person: person) }
    }
}

extension Bar {
    fileprivate init(_ row: PostgresRow, person: String) throws {
        self.init(
            person: person, decider: try row.decode("decider"), decidedAt: try row.decode("decided_at"),
            reason: try row.decode("reason"), endsAt: try row.decode("ends_at"), note: try row.decode("note"))
    }
}
