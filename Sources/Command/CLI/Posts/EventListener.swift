import Postgres
import Telemetry

/// Lets `darkroom events tail --follow` wait for new events: over a connection that listens, if possible.
///
/// Behind a pooler in transaction mode `LISTEN` succeeds, but no notification ever arrives. So an echo must arrive first.
/// Another connection sends it: even there, the listener's own notification would come back with its own statement.
/// The command reads every `interval` in any case, and earlier when a notification arrives.
struct EventListener: Sendable {
    private enum State {
        /// Until the deadline for the echo.
        case proving(PostgresConnection, echo: String, until: ContinuousClock.Instant)
        case hearing(PostgresConnection)
        case deaf
    }

    private var state = State.deaf
    private let interval: Duration
    private let log: Log

    /// Listens, and sends the echo through `pool`. If that fails, it logs a warning and only polls.
    init(
        _ configuration: PostgresConfiguration, calling pool: PostgresPool, interval: Duration,
        patience: Duration = .seconds(5), log: Log
    ) async {
        self.interval = interval
        self.log = log
        do {
            let connection = try await PostgresConnection.connect(configuration)
            do {
                let echo = "darkroom.echo.\(await connection.backendProcessID)"
                for channel in ["darkroom.events", echo] {
                    try await connection.listen(channel)
                }
                try await pool.query("select pg_notify(\(echo), '')")
                state = .proving(connection, echo: echo, until: .now + patience)
            } catch {
                await connection.close()
                throw error
            }
        } catch {
            warn("events.listener_lost", "\(error)")
        }
    }

    /// Returns when there may be a new event: after the interval, or earlier when a notification arrives or the user
    /// asks to stop.
    mutating func wait(_ interruption: Interruption) async {
        do {
            switch state {
            case .deaf:
                await interruption.sleep(until: .now + interval)
            case .hearing(let connection):
                _ = try await connection.nextNotification(timeout: interval)
            case .proving(let connection, let echo, let deadline):
                let heard = try await connection.nextNotification(timeout: interval)
                if heard?.channel == echo {
                    state = .hearing(connection)
                    log.info("events.listening")
                } else if heard == nil, .now >= deadline {
                    await close()
                    warn(
                        "events.listener_deaf",
                        "notifications do not arrive, probably because of a pooler in transaction mode")
                }
            }
        } catch {
            // From now on polling finds the events, which takes longer.
            await close()
            warn("events.listener_lost", "\(error)")
        }
    }

    mutating func close() async {
        switch state {
        case .proving(let connection, _, _), .hearing(let connection): await connection.close()
        case .deaf: break
        }
        state = .deaf
    }

    private func warn(_ event: String, _ error: String) {
        log.warning(event, ["error": .init(error), "polling_every_ms": .init(interval)])
    }
}
