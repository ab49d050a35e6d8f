import Arguments
import CivilCalendar
import CommandSupport
import Postgres
import Posts
import Telemetry

enum EventsCommand {
    static let command = Command(
        "events", "Read the events of posts and uploads, such as published or rejected.",
        subcommands: [tail])

    private static let tail = Command(
        "tail", "Print events, oldest first.",
        discussion: """
            With --consumer, prints the events that this consumer has not read yet, and acknowledges them after they are \
            written. After a crash in between, the same events come again. A new consumer gets the events from now on, \
            or with --from-start all that are kept. Without --consumer, the position is not remembered.

            Events of one post come in the order in which they happened. They appear within a second of their commit, \
            once a worker's tally job has numbered them.

            --follow reads new events when a notification arrives, and at least once a second. Behind a pooler in \
            transaction mode no notifications arrive. Then it only polls, and logs events.listener_deaf once on \
            standard error.
            """,
        options: [
            .value("consumer", "NAME", "remember the position under this name"),
            .flag("from-start", "start with the oldest event that is kept"),
            .value("from", "NUMBER", "start after this event number; not with --consumer"),
            .flag("follow", "wait for new events until Ctrl-C"), Settings.json, Settings.database,
        ],
        examples: [
            Example("darkroom events tail --from-start", "prints all events that are kept"),
            Example(
                "darkroom events tail --consumer push --follow --json | ./send-push-messages",
                "passes on each event at least once, even across restarts"),
        ]
    ) { arguments in
        let consumer = arguments.string("consumer")
        let isFromStart = arguments.flag("from-start")
        let from = try arguments.int("from", in: 0...Int.max)
        guard from == nil || (consumer == nil && !isFromStart) else {
            throw UsageError(
                "--from cannot be combined with --consumer, which remembers its position, or with --from-start"
            )
        }
        let asJSON = arguments.flag("json")
        let configuration = try await Settings.configuration(arguments, applicationName: "darkroom-events")
        try await Settings.withPool(arguments) { pool in
            let store = EventStore(pool: pool)
            var last: Int64 = 0
            if let consumer {
                // Otherwise its first read registers the consumer, which an app's login may do.
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
                // One write per event: if the reader is gone, the process ends here, before the acknowledgement.
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

    /// Reads what only operators may read. The error tells an app's login to use --consumer.
    private static func asOperator<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            throw CommandError(
                "only operators may read without --consumer: give --consumer NAME to read all events from its "
                    + "first read on")
        }
    }

    private static func addFromStart(_ consumer: String, to store: EventStore) async throws {
        do {
            try await store.addConsumer(consumer, fromStart: true)
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            throw CommandError(
                "only operators may use --from-start: have one run this once, or leave it out to get events from now on"
            )
        }
    }

    private static let batch = 500
    /// Time between two reads when no notification arrives.
    private static let interval = Duration.seconds(1)
}

extension OutboxEvent {
    fileprivate var text: String {
        "\(number)  \(occurredAt.shortStamp)  \(event)"
            + (post.map { "  post \($0)" } ?? "") + (job.map { "  job \($0)" } ?? "")
            + (comment.map { "  comment \($0)" } ?? "") + (likes.map { "  likes \($0)" } ?? "")
            + (reason.map { "  \($0)" } ?? "")
    }

    fileprivate var json: JSON {
        .object([
            ("number", .integer(number)), ("event", .string(event)),
            ("post_id", JSON.optional(post) { .integer($0) }),
            ("job_id", JSON.optional(job) { .integer($0) }),
            ("uploader", JSON.optional(uploader) { .string($0) }),
            ("comment_id", JSON.optional(comment) { .integer($0) }),
            ("likes", JSON.optional(likes) { .integer(Int64($0)) }),
            ("reason", JSON.optional(reason) { .string($0) }),
            ("occurred_at", .string(occurredAt.stamp)),
            ("author_handle", JSON.optional(authorHandle) { .string($0) }),
            ("by_uploader", .bool(byUploader)), ("is_told", .bool(isTold)),
            ("latitude", JSON.optional(latitude) { .number($0) }),
            ("longitude", JSON.optional(longitude) { .number($0) }),
        ])
    }
}
