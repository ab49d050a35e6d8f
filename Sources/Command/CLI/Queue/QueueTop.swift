import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import JobStore

/// `darkroom queue top`: the queue as it moves.
enum QueueTop {
    static let command = Command(
        "top", "Watch the queue: depth, rates, latencies, workers, failures.",
        discussion: """
            On a terminal the picture is redrawn until Ctrl-C; elsewhere each look is written below the one before, \
            and with --json as an object a line. Figures of ends and latencies are of the last minute.

            Rates are differences between two looks, by the database's clock: enqueued is job numbers drawn \
            (replays draw none); claimed is attempts that ended and the growth of those running; finished is jobs \
            that ended in whatever state. A look that is slow, in a long queue, makes the next one later, so that \
            looking takes at most a fifth of one connection's time.
            """,
        options: [
            .value("interval", "TIME", "between two looks, 200ms at least", default: "1s"),
            .value("count", "N", "end after so many looks"), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom queue top", "watch it"),
            Example("darkroom queue top --interval 10s --count 6 > queue.txt", "a minute, for the record"),
        ]
    ) { arguments in
        let interval = max(try arguments.duration("interval") ?? .seconds(1), .milliseconds(200))
        let count = try arguments.int("count", in: 1...1_000_000_000) ?? .max
        let asJSON = arguments.flag("json")
        try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            let interruption = Interruption(wakingOn: [SIGWINCH])
            // Fails here, before the screen is taken, where the database is out of reach.
            var look = try await QueueLook.first(store)
            let screen = asJSON || !Terminal.isTerminal(STDOUT_FILENO) ? nil : AlternateScreen()
            defer { screen?.close() }
            screen?.show(look.lines(interval: interval, width: screen?.width))
            var shown = 0
            while shown < count {
                let next = look.begun + max(interval, look.cost * 4)
                while ContinuousClock.now < next, !interruption.isAsked {
                    await interruption.sleep(until: next)
                    // Woken early, by a new size of the window.
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
