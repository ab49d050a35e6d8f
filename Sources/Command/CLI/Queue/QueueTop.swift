import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import JobStore

enum QueueTop {
    static let command = Command(
        "top", "Watch the queue: depth, rates, latencies, workers, failures.",
        discussion: """
            Redraws the screen of a terminal until Ctrl-C. Anywhere else it appends each refresh to the output, with \
            --json as one object per line. Finished jobs and latencies cover the last minute.

            Rates are the differences between two refreshes, by the database's clock. Enqueued counts new job numbers; a \
            replay takes no new number. Claimed counts attempts that ended, plus the growth in running jobs. Finished \
            counts jobs that ended in any state. A slow refresh of a long queue delays the next one, so that \
            refreshes use at most a fifth of one connection's time.
            """,
        options: [
            .value("interval", "TIME", "time between two refreshes, at least 200ms", default: "1s"),
            .value("count", "N", "stop after N refreshes (default: run until Ctrl-C)"), Settings.json,
            Settings.database,
        ],
        examples: [
            Example("darkroom queue top", "watches the queue until Ctrl-C"),
            Example(
                "darkroom queue top --interval 10s --count 6 > queue.txt", "records one minute in a file"),
        ]
    ) { arguments in
        let interval = max(try arguments.duration("interval") ?? .seconds(1), .milliseconds(200))
        let count = try arguments.int("count", in: 1...1_000_000_000) ?? .max
        let asJSON = arguments.flag("json")
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let interruption = Interruption(wakingOn: [SIGWINCH])
            // An unreachable database must fail here, before the screen is cleared.
            var look = try await QueueLook.first(store)
            let screen = asJSON || !Terminal.isTerminal(STDOUT_FILENO) ? nil : AlternateScreen()
            defer { screen?.close() }
            screen?.show(look.lines(interval: interval, width: screen?.width))
            var shown = 0
            while shown < count {
                let next = look.begun + max(interval, look.cost * 4)
                while ContinuousClock.now < next, !interruption.isAsked {
                    await interruption.sleep(until: next)
                    // Woken early because the window was resized.
                    screen?.show(look.lines(interval: interval, width: screen?.width))
                }
                if interruption.isAsked { return }
                do {
                    look = try await look.next(store)
                } catch {
                    guard screen != nil else { throw error }
                    look.failed(error)
                }
                shown += 1
                if let screen {
                    screen.show(look.lines(interval: interval, width: screen.width))
                } else if asJSON {
                    Output.line(look.json.line)
                } else {
                    for line in look.lines(interval: interval, width: nil) { Output.line(line) }
                    Output.line("")
                }
            }
        }
    }
}
