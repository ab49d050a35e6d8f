import Arguments
import CommandSupport
import Glibc
import Postgres

extension Settings {
    static func pool(_ arguments: ParsedArguments, size: Int = 2) async throws -> PostgresPool {
        PostgresPool(try await configuration(arguments), size: size)
    }

    /// Calls `body` with a pool, and closes the pool afterwards.
    static func withPool<T>(
        _ arguments: ParsedArguments, size: Int = 2, _ body: (PostgresPool) async throws -> T
    ) async throws -> T {
        let pool = try await pool(arguments, size: size)
        do {
            // A server without a free connection would keep a person waiting without a word.
            try await withDeadline(.seconds(15)) { try await pool.query("select 1") }
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw explained(error)
        }
    }

    /// The user to record as the operator.
    static var userName: String {
        getenv("USER").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "uid \(getuid())"
    }
}
