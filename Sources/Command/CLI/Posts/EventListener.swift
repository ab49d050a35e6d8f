import Postgres
import Telemetry

/// What `darkroom events tail --follow` waits with: a connection that hears of new events, where there can be one.
///
/// Behind a pooler in transaction mode `LISTEN` succeeds and nothing is ever heard. So an echo has to come first, and it is
/// another connection that calls: a notification of the listener's own would come back with its own statement even there.
/// The command looks every `interval` in any case; with a listener that hears, sooner.
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

    /// Listens, and calls through `pool`. Where that fails it is deaf, which the log says.
    init(
        _ configuration: PostgresConfiguration, calling pool: PostgresPool, interval: Duration,
        patience: Duration = .seconds(5), log: Log
    ) async {
        self.interval = interval
        self.log = log
        do {
            let connection = try await PostgresConnection.connect(configuration)
            do {
                let echo = try configuration.channel("darkroom.echo.\(await connection.backendProcessID)")
                for channel in [try configuration.channel("darkroom.events"), echo] {
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

    /// Returns when there may be something new: after the interval, or before when something was heard or the person at the
    /// terminal asks to stop.
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
                        "notifications do not arrive: a pooler in transaction mode is between")
                }
            }
        } catch {
            // Events only come later now.
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
