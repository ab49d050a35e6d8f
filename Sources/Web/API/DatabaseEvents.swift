package import Postgres
package import Telemetry

/// Calls `wake` whenever PostgreSQL notifies of events, over a connection of its own, which it opens again when it is lost.
///
/// Behind a pooler in transaction mode no notification arrives; then those who wait read after their interval.
package struct DatabaseEvents: Sendable {
    private let configuration: PostgresConfiguration
    private let log: Log

    package init(configuration: PostgresConfiguration, log: Log) {
        self.configuration = configuration
        self.log = log
    }

    package func follow(_ wake: @escaping @Sendable () -> Void) async {
        var pause = Duration.milliseconds(100)
        while !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                do {
                    try await connection.listen("darkroom.events")
                    pause = .milliseconds(100)
                    while !Task.isCancelled {
                        if try await connection.nextNotification(timeout: .seconds(30)) != nil { wake() }
                    }
                } catch {
                    await connection.close()
                    throw error
                }
                await connection.close()
            } catch {
                if Task.isCancelled { return }
                log.warning("serve.events_lost", ["error": .init("\(error)")])
                try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, .seconds(10))
            }
        }
    }
}
