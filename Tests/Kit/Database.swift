import Postgres
import Synchronization

/// How a test's database starts out. Each template is made once per test process; every test gets a clone.
package final class DatabaseTemplate: Sendable {
    /// Distinguishes templates; lower-case letters, digits and underscores.
    package let name: String
    let parent: DatabaseTemplate?
    let prepare: @Sendable (String) async throws -> Void

    /// - Parameters:
    ///   - parent: what it is a clone of; nil for an empty database.
    ///   - prepare: fills the database at the given URL, and closes its connections before it returns.
    package init(
        name: String, from parent: DatabaseTemplate? = nil,
        prepare: @escaping @Sendable (_ url: String) async throws -> Void
    ) {
        self.name = name
        self.parent = parent
        self.prepare = prepare
    }

    /// A database without any table.
    package static let empty = DatabaseTemplate(name: "empty") { _ in }

    var databaseName: String { "template_\(name)" }
}

/// The database of a single test.
package struct TestDatabase: Sendable {
    package let name: String
    /// As superuser `darkroom`.
    package let url: String

    /// The URL for another role, which the test has made.
    package func url(role: String) -> String { url.replacing("user=darkroom", with: "user=\(role)") }

    private static let count = Mutex(0)

    /// Clones `template`, calls `body` with the clone, and drops it, ending any open connections.
    package static func withDatabase<T>(
        template: DatabaseTemplate = .empty, _ body: (TestDatabase) async throws -> T
    ) async throws -> T {
        try await ThrowawayCluster.shared.prepare(template)
        let server = try await ThrowawayCluster.shared.server()
        let number = count.withLock { count in
            count += 1
            return count
        }
        let name = "test_\(template.name)_\(number)"
        try await server.administration.query(
            // Files are copied in a third of the time that the server takes to log each page.
            """
            create database \(unescaped: quotedIdentifier(name))
            template \(unescaped: quotedIdentifier(template.databaseName)) strategy file_copy
            """
        )
        do {
            let value = try await body(TestDatabase(name: name, url: server.url(database: name)))
            await drop(name, on: server)
            return value
        } catch {
            await drop(name, on: server)
            throw error
        }
    }

    /// Runs in a separate task, so that a cancelled test cleans up too. A leftover database does not fail the
    /// test: the whole server goes with the process.
    private static func drop(_ name: String, on server: ThrowawayCluster.Server) async {
        _ = await Task {
            try await server.administration.query(
                "drop database \(unescaped: quotedIdentifier(name)) with (force)")
        }.result
    }
}
