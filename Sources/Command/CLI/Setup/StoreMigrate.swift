import Arguments
import CommandSupport
import Ingestion
import MediaStore
import Postgres
import Posts

/// Moves the media store to another place while it is in use.
enum StoreMigrate {
    static let command = Command(
        "migrate", "Move the media store to another directory or bucket while workers run.",
        discussion: """
            First give every worker and every program that stores photos the next place, as DARKROOM_MEDIA_NEXT, and restart them: \
            they go on with the present one. Then 'darkroom store migrate --to PLACE' begins the move. From then on files are \
            stored in both places and removed from both, and this command copies the rest, comparing each file with its \
            SHA-256. You can stop it at any time, or lose it; without --to it goes on where it was. \
            Damaged files are listed and not copied.

            --finish copies what is still missing, checks that every file to which the database refers is in the next place, and \
            makes that place the media store. After that, set DARKROOM_MEDIA to the next place and remove DARKROOM_MEDIA_NEXT, \
            whenever you like. What the previous place holds stays there until you delete it. Before you do, give --finish again, \
            with --media PREVIOUS --media-next PRESENT: it copies photos that phones sent to the previous place late, by a \
            request that was signed before.

            --cancel ends the move before that: the store stays where it is.

            Exits with 1 if a file is damaged or cannot be copied. 'darkroom store show' tells how far a move is.
            """,
        options: [
            .value("to", "PLACE", "begin to move the store there: a directory, a file:// URL, or s3://…"),
            .value("rate", "RATE", "copy at most this much: files (50/s) or megabytes (20MB/s) a second"),
            .value("at-once", "N", "copy N files at the same time", default: "4"),
            .flag("finish", "make the next place the media store"),
            .flag("without-damaged", "with --finish, although damaged files are not in the next place"),
            .flag("cancel", "end the move, and keep the present store"),
            .flag("dry-run", "count the files and the workers that are not prepared; change nothing"),
            Settings.database, Settings.media, Settings.nextMedia,
        ],
        examples: [
            Example(
                "darkroom store migrate --to 's3://photos/darkroom?region=eu-central-1'",
                "begins the move, and copies all files"),
            Example("darkroom store migrate --rate 20MB/s", "goes on, with 20 megabytes a second at most"),
            Example("darkroom store migrate --finish", "makes the next place the media store"),
        ]
    ) { arguments in
        let filesAtOnce = try arguments.int("at-once", in: 1...64) ?? 4
        let rate = try CopyRate(arguments.string("rate"))
        guard !(arguments.flag("finish") && arguments.flag("cancel")) else {
            throw UsageError("--finish and --cancel exclude each other: give one of them")
        }
        guard !arguments.flag("without-damaged") || arguments.flag("finish") else {
            throw UsageError("--without-damaged is for --finish: give both")
        }
        let interruption = Interruption()
        try await Settings.withPool(arguments, size: filesAtOnce + 2) { pool in
            let site = try await MigrationSite(arguments, pool)
            if arguments.flag("finish"), let record = site.finished {
                let run = MigrationRun(site, record, filesAtOnce: filesAtOnce, rate: rate, interruption)
                return try await run.copyLate()
            }
            if arguments.flag("cancel") { return try await site.cancel() }
            if arguments.flag("dry-run") { return try await site.describe(interruption) }
            let record = try await site.begin(interruption)
            let run = MigrationRun(site, record, filesAtOnce: filesAtOnce, rate: rate, interruption)
            if arguments.flag("finish") {
                try await run.finish(withoutDamaged: arguments.flag("without-damaged"))
            } else {
                try await run.copy()
            }
        }
    }
}

/// `50/s` or `20MB/s`.
struct CopyRate {
    let filesPerSecond: Double?
    let bytesPerSecond: Double?

    init(_ text: String?) throws {
        guard let text else {
            (filesPerSecond, bytesPerSecond) = (nil, nil)
            return
        }
        let isMegabytes = text.hasSuffix("MB/s")
        guard text.hasSuffix("/s"), let number = Double(text.dropLast(isMegabytes ? 4 : 2)),
            (0.001...1_000_000).contains(number)
        else {
            throw UsageError(
                "--rate \(text) is not a rate: give files such as 50/s, or megabytes such as 20MB/s")
        }
        filesPerSecond = isMegabytes ? nil : number
        bytesPerSecond = isMegabytes ? number * 1_000_000 : nil
    }
}
