import JobQueue
import JobStore
import Posts

extension JobDefinition {
    package static let all = [
        JobDefinition(
            .ingest, subject: .upload, stages: ["open", "render", "screen", "locate", "store", "publish"],
            rejections: UploadRejection.reasons, needs: .photos
        ) {
            IngestHandler(
                pool: $0.pool, media: $0.media, renderers: $0.renderers, gazetteers: $0.gazetteers,
                rendering: $0.rendering, log: $0.log)
        },
        // It reads and stores no file, so it goes on while the store or the renderer is away.
        JobDefinition(
            .ingestText, subject: .upload, stages: ["open", "screen", "locate", "publish"],
            rejections: UploadRejection.reasons
        ) {
            IngestHandler(
                pool: $0.pool, media: $0.media, renderers: $0.renderers, gazetteers: $0.gazetteers,
                rendering: $0.rendering, log: $0.log)
        },
        JobDefinition(.moderate, subject: .post, stages: ["moderate"], rejections: ["post_gone"]) {
            ModerateHandler(pool: $0.pool, log: $0.log)
        },
        JobDefinition(
            .moderateComment, subject: .comment, stages: ["moderate"], rejections: ["comment_gone"]
        ) {
            ModerateHandler(pool: $0.pool, log: $0.log)
        },
        JobDefinition(
            .pruneHistory,
            schedule: Schedule(
                name: "prune-history", cron: "17 * * * *", queue: ServedQueue.upkeepName, priority: 50),
            stages: ["prune", "prune_records"]
        ) { PruneHistoryHandler(store: JobStore(pool: $0.pool), log: $0.log) },
        JobDefinition(.tally, stages: TallyHandler.steps.map(\.stage)) {
            TallyHandler(pool: $0.pool)
        },
        JobDefinition(
            .expire,
            schedule: Schedule(
                name: "expire", cron: "*/5 * * * *", queue: ServedQueue.upkeepName, priority: 40),
            stages: ["expire", "erase", "weigh"], attemptDeadline: .seconds(1800)
        ) { ExpireHandler(pool: $0.pool, log: $0.log) },
        JobDefinition(
            .erasePost, subject: .post, stages: ["rows", "files", "leftovers"], needs: .files
        ) {
            ErasePostHandler(pool: $0.pool, media: $0.media, log: $0.log)
        },
        JobDefinition(
            .erasePerson, subject: .personErasure,
            stages: ["jobs", "posts", "uploads", "reactions", "record", "files"],
            needs: .files, attemptDeadline: .seconds(3600)
        ) {
            ErasePersonHandler(pool: $0.pool, media: $0.media, log: $0.log)
        },
        JobDefinition(
            .eraseOriginals,
            schedule: Schedule(
                name: "erase-originals", cron: "41 * * * *", queue: ServedQueue.upkeepName, priority: 50),
            stages: ["retire", "files"], needs: .files, attemptDeadline: .seconds(3600)
        ) { EraseOriginalsHandler(pool: $0.pool, media: $0.media, log: $0.log) },
        JobDefinition(
            .rerender, subject: .post, stages: ["open", "render", "store", "swap"],
            rejections: UploadRejection.reasons + ["post_gone"], needs: .photos
        ) {
            RerenderHandler(
                pool: $0.pool, media: $0.media, renderers: $0.renderers, rendering: $0.rendering, log: $0.log)
        },
        JobDefinition(.relocate, subject: .post, stages: ["locate"]) {
            RelocateHandler(pool: $0.pool, gazetteers: $0.gazetteers)
        },
        JobDefinition(
            .sweep, schedule: Schedule(name: "sweep", cron: "7 3 * * *", priority: 60),
            stages: ["sweep"], needs: [.store, .descriptors],
            attemptDeadline: .seconds(43_200)
        ) { SweepHandler(pool: $0.pool, media: $0.media, log: $0.log) },
        // For measuring the queue.
        JobDefinition(.noop) { _ in NoopHandler() },
    ]
}
