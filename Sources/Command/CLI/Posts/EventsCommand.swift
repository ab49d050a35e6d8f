import Arguments
import CommandSupport
import Postgres
import Posts
import Telemetry

/// `darkroom events`: what happens to posts, for those who tell others of it.
enum EventsCommand {
    static let command = Command(
        "events", "Read what happens to posts.",
        subcommands: [tail])

    private static let tail = Command(
        "tail", "Print events, oldest first.",
        discussion: """
            With --consumer the events that this consumer has not had are printed, and acknowledged once they are \
            written: one that was written but not acknowledged comes again. A new consumer gets what happens from \
            now on, or with --from-start everything that is kept. Without --consumer nothing is remembered.

            Events of one post come in the order in which they happened. They are numbered by a worker's tally job, \
            within a second of their commit.

            --follow is woken by notifications, and looks once a second besides. Where no notifications arrive, as behind \
            a pooler in transaction mode, that is all it does: the log on standard error says so once, as \
            events.listener_deaf.
            """,
        options: [
            .value("consumer", "NAME", "remember under this name what was read"),
            .flag("from-start", "begin with the oldest event that is kept"),
            .value("from", "NUMBER", "begin after this event; without --consumer only"),
            .flag("follow", "go on until Ctrl-C"), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom events tail --from-start", "everything that is kept"),
            Example(
                "darkroom events tail --consumer push --follow --json | ./send-push-messages",
                "each event at least once, whenever either is restarted"),
        ]
    ) { arguments in
        let consumer = arguments.string("consumer")
        let isFromStart = arguments.flag("from-start")
        let from = try arguments.int("from", in: 0...Int.max)
        guard from == nil || (consumer == nil && !isFromStart) else {
            throw UsageError("--from goes with neither --consumer, which remembers, nor --from-start")
        }
        let asJSON = arguments.flag("json")
        let configuration = try await Settings.configuration(arguments, applicationName: "darkroom-events")
        try await Settings.withPool(arguments) { pool in
            let store = EventStore(pool: pool)
            var last: Int64 = 0
            if let consumer {
                // Else its first reading makes it known, which an app may.
                if isFromStart { try await addFromStart(consumer, to: store) }
            } else if let from {
                last = Int64(from)
            } else if !isFromStart {
                last = try await asOperator { try await store.lastEvent() }
            }
            func printNext() async throws -> Bool {
                let events =
                    if let consumer { try await store.events(for: consumer, limit: batch) } else {
                        try await asOperator { try await store.events(after: last, limit: batch) }
                    }
                guard let newest = events.last else { return false }
                // One write for each: a reader that is gone ends the process here, before the acknowledgement.
                for event in events { Output.line(asJSON ? event.json.line : event.text) }
                if let consumer { try await store.acknowledge(newest.number, for: consumer) }
                last = newest.number
                return true
            }
            guard arguments.flag("follow") else {
                while try await printNext() {}
                return
            }
            let interruption = Interruption()
            while !interruption.isAsked, try await printNext() {}
            var listener = await EventListener(configuration, calling: pool, interval: interval, log: Log())
            while !interruption.isAsked {
                if try await printNext() { continue }
                await listener.wait(interruption)
            }
            await listener.close()
        }
    }

    /// Reads what only operators may; an app's login is told how it reads.
    private static func asOperator<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            throw CommandError(
                "reading without --consumer is for operators: give --consumer NAME, as which an app's login reads what "
                    + "happens from its first reading on")
        }
    }

    private static func addFromStart(_ consumer: String, to store: EventStore) async throws {
        do {
            try await store.addConsumer(consumer, fromStart: true)
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            throw CommandError(
                "--from-start is for operators: have one run this once, or leave it out for what happens from now on"
            )
        }
    }

    private static let batch = 500
    /// Between two looks where nothing wakes.
    private static let interval = Duration.seconds(1)
}

extension OutboxEvent {
    fileprivate var text: String {
        "\(number)  \(occurredAt.shortStamp)  \(event)  post \(post)"
            + (comment.map { "  comment \($0)" } ?? "")
    }

    fileprivate var json: JSON {
        .object([
            ("number", .integer(number)), ("event", .string(event)), ("post_id", .integer(post)),
            ("uploader", JSON.optional(uploader) { .string($0) }),
            ("comment_id", JSON.optional(comment) { .integer($0) }),
            ("occurred_at", .string(occurredAt.stamp)),
        ])
    }
}
