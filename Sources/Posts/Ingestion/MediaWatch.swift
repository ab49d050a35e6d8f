package import MediaStore
import Synchronization
package import Telemetry

/// Checks the media store at intervals, for the log and the health checks.
///
/// Jobs check the store themselves: this only tells people.
package final class MediaWatch: Sendable {
    private let media: LocalMediaStore
    private let log: Log
    private let state = Mutex<(found: MediaError?, lookingSince: ContinuousClock.Instant?)>((nil, nil))
    /// A disk that takes longer to respond is a fault.
    private let patience: Duration

    package init(_ media: LocalMediaStore, patience: Duration = .seconds(30), log: Log) {
        self.media = media
        self.patience = patience
        self.log = log
    }

    /// Why jobs cannot use the store; nil if they can.
    package var fault: String? {
        state.withLock { state in
            if let since = state.lookingSince, since + patience < .now {
                return "\(media.root): the disk or the database does not respond"
            }
            return state.found?.description
        }
    }

    /// Checks until the task is cancelled, and logs what has changed. A disk that does not respond holds it up: do not
    /// wait for its end.
    package func run<C: Clock<Duration>>(every interval: Duration = .seconds(5), clock: C = .continuous) async
    {
        repeat { await look() } while (try? await clock.sleep(for: interval)) != nil
    }

    package func look() async {
        state.withLock { $0.lookingSince = .now }
        let now: MediaError?
        do throws(MediaError) {
            try await media.check()
            now = nil
        } catch {
            now = error
        }
        let before = state.withLock { state in
            defer { state = (now, nil) }
            return state.found
        }
        // What is wrong with the database is said elsewhere.
        if let now, now.code != .unconfirmed, now != before {
            log.error("media.unavailable", ["cause": .init("\(now)")])
        } else if now == nil, let before, before.code != .unconfirmed {
            log.info("media.available", ["path": .init(media.root)])
        }
    }
}
