import JobStore
import Postgres
import TestKit

/// An app's server with a real installation behind it. It has the login of the role `api`, and calls functions only.
struct AppServer: Sendable {
    let darkroom: Installation
    private let pool: PostgresPool

    static func with(_ body: (AppServer) async throws -> Void) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.makeLogins()
            let url = try await darkroom.database.url(as: .api)
            let pool = PostgresPool(PostgresConfiguration(url: url, applicationName: "app"), size: 1)
            let result: Result<Void, any Error>
            do {
                try await body(AppServer(darkroom: darkroom, pool: pool))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            try result.get()
        }
    }

    /// The rows of a call, each with its columns next to each other.
    func rows(_ call: PostgresQuery) async throws -> [String] {
        let rows = try await pool.query(call)
        return try rows.map { row in
            try rows.columns.compactMap { try row.decode($0, as: String?.self) }.joined(separator: " ")
        }
    }

    /// Calls functions in one transaction.
    func call(_ statements: PostgresQuery...) async throws {
        try await pool.withTransaction { (transaction: PostgresConnection) async throws -> Void in
            for statement in statements { try await transaction.query(statement) }
        }
    }

    /// The error of a call.
    func refusal(_ statement: PostgresQuery) async throws -> PostgresError? {
        do {
            try await pool.query(statement)
            return nil
        } catch let error as PostgresError {
            return error
        }
    }

    /// Lets a worker do all that is waiting.
    func work() async throws { try await darkroom.drain() }
}
