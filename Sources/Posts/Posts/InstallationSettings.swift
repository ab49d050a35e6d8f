package import Postgres

/// What an installation does for how long and how often: the row of `darkroom.settings`.
package struct InstallationSettings: Sendable {
    package struct Setting: Sendable {
        package let name: String
        /// Nil for none, such as no limit.
        package let value: String?
        /// What it begins with.
        package let usual: String?
        package let meaning: String?
    }

    let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// By name.
    package func all() async throws -> [Setting] {
        try await pool.query("select name, value, usual, meaning from darkroom.installation_settings()").map {
            Setting(
                name: try $0.decode("name", as: String.self), value: try $0.decode("value", as: String?.self),
                usual: try $0.decode("usual", as: String?.self),
                meaning: try $0.decode("meaning", as: String?.self))
        }
    }

    /// - Returns: the earlier value.
    /// - Throws: ``PostgresError`` for an unknown setting, or a value that it cannot have.
    package func change(_ name: String, to value: String?) async throws -> String? {
        try await pool.query("select darkroom.change_setting(\(name), \(value)) as earlier")[0]
            .decode("earlier", as: String?.self)
    }
}
