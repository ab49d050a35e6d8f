package import Gazetteer
package import Imaging
package import JobQueue
package import MediaStore
package import Postgres
package import Telemetry

/// A kind of job, registered: all that the program has to know of it.
///
/// ``all`` has every one of them.
package struct JobDefinition: Sendable {
    /// What a job's subject is the number of.
    package enum Subject: Sendable { case upload, post, personErasure }

    /// When a new installation enqueues a job of the kind by itself; operators may change it.
    package struct Schedule: Sendable, Equatable {
        package let name: String
        package let cron: String
        package let priority: Int
    }

    package let kind: JobKind
    /// Nil where a job is about no single thing.
    package let subject: Subject?
    package let schedule: Schedule?
    /// In force where the database has no row for the kind.
    package let policy: RetryPolicy
    package let makeHandler: @Sendable (JobResources) -> any JobHandler

    init(
        _ kind: JobKind, subject: Subject? = nil, schedule: Schedule? = nil,
        attemptDeadline: Duration? = RetryPolicy.standard.attemptDeadline,
        handler makeHandler: @escaping @Sendable (JobResources) -> any JobHandler
    ) {
        self.kind = kind
        self.subject = subject
        self.schedule = schedule
        var policy = RetryPolicy.standard
        policy.attemptDeadline = attemptDeadline
        self.policy = policy
        self.makeHandler = makeHandler
    }
}

extension JobDefinition {
    package static let kinds = all.map(\.kind)

    package static let policies = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.policy) })

    /// Nil for a kind that only another release knows.
    package static func of(_ kind: JobKind) -> JobDefinition? { all.first { $0.kind == kind } }

    package static func handlers(_ resources: JobResources) -> [JobKind: any JobHandler] {
        Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.makeHandler(resources)) })
    }
}

/// What handlers work with.
package struct JobResources: Sendable {
    let pool: PostgresPool
    let media: LocalMediaStore
    let renderers: RendererPool
    let gazetteers: GazetteerHandle
    let rendering: RenderConfiguration
    let log: Log

    package init(
        pool: PostgresPool, media: LocalMediaStore, renderers: RendererPool, gazetteers: GazetteerHandle,
        rendering: RenderConfiguration, log: Log
    ) {
        self.pool = pool
        self.media = media
        self.renderers = renderers
        self.gazetteers = gazetteers
        self.rendering = rendering
        self.log = log
    }
}
