package import JobStore
package import Postgres

extension QueueDatabase {
    /// Makes the roles and one login for each, for this database only.
    package func makeLogins() async throws {
        let connection = try await PostgresConnection.connect(configuration)
        try await InstallationRoles(connection).create()
        for role in InstallationRole.allCases {
            let login = try await login(role)
            try await connection.query("create role \(unescaped: login) login")
            try await connection.query(
                "grant \(unescaped: role.name) to \(unescaped: login)")
        }
        await connection.close()
    }

    /// The name of the login that ``makeLogins()`` made.
    package func login(_ role: InstallationRole) async throws -> String {
        let rows = try await pool.query("select current_database() || '_' || \(role.rawValue) as login")
        return try rows[0].decode("login", as: String.self)
    }

    /// The database's address for the login that has a role.
    package func url(as role: InstallationRole) async throws -> String {
        url.replacing("user=darkroom", with: "user=\(try await login(role))")
    }

    /// Calls `body` with a connection of the login that has a role.
    package func connected<T>(
        as role: InstallationRole, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(url: try await url(as: role)))
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}

extension PostgresConnection {
    /// The SQLSTATE of a failing statement; nil if it does not fail.
    package func failure(_ statement: String) async throws -> SQLState? {
        do {
            try await query(PostgresQuery(unescaped: statement))
            return nil
        } catch let error as PostgresError {
            guard let state = error.sqlState else { throw error }
            return state
        }
    }
}
