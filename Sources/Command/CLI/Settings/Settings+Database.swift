import Arguments
import CommandSupport
import Glibc
import Postgres

extension Settings {
    static func pool(_ arguments: ParsedArguments, size: Int = 2) async throws -> PostgresPool {
        PostgresPool(try await configuration(arguments), size: size)
    }

    /// Calls `body` with a pool that is closed afterwards.
    static func withPool<T>(
        _ arguments: ParsedArguments, size: Int = 2, _ body: (PostgresPool) async throws -> T
    ) async throws -> T {
        let pool = try await pool(arguments, size: size)
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw explained(error)
        }
    }

    /// Who calls, for what is recorded with a name.
    static var userName: String {
        getenv("USER").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "uid \(getuid())"
    }
}
