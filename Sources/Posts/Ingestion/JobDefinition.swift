package import Gazetteer
package import Imaging
package import JobQueue
import JobStore
package import MediaStore
package import Postgres
package import Telemetry

/// Everything that the program knows about a kind of job.
///
/// ``all`` lists every kind.
package struct JobDefinition: Sendable {
    /// What the number in a job's subject identifies.
    package enum Subject: Sendable { case upload, post, comment, personErasure }

    /// When a new installation enqueues a job of this kind automatically. Operators can change it.
    package struct Schedule: Sendable, Equatable {
        package let name: String
        package let cron: String
        /// ``ServedQueue/upkeepName`` for what must happen even while uploads fill every slot.
        package let queue: String
        package let priority: Int

        init(name: String, cron: String, queue: String = ServedQueue.defaultName, priority: Int) {
            self.name = name
            self.cron = cron
            self.queue = queue
            self.priority = priority
        }
    }

    package let kind: JobKind
    /// Nil for jobs that have no subject.
    package let subject: Subject?
    package let schedule: Schedule?
    /// The stages that its handler enters.
    package let stages: [String]
    /// The reasons for which its handler rejects a job.
    package let rejections: [String]
    /// While one of these is away, a worker claims no jobs of the kind.
    package let needs: Set<Dependency>
    /// Applies if the database has no row for the kind.
    package let policy: RetryPolicy
    package let makeHandler: @Sendable (JobResources) -> any JobHandler

    init(
        _ kind: JobKind, subject: Subject? = nil, schedule: Schedule? = nil, stages: [String] = [],
        rejections: [String] = [], needs: Set<Dependency> = [],
        attemptDeadline: Duration? = RetryPolicy.standard.attemptDeadline,
        handler makeHandler: @escaping @Sendable (JobResources) -> any JobHandler
    ) {
        self.kind = kind
        self.subject = subject
        self.schedule = schedule
        self.stages = stages
        self.rejections = rejections
        self.needs = needs
        var policy = RetryPolicy.standard
        policy.attemptDeadline = attemptDeadline
        self.policy = policy
        self.makeHandler = makeHandler
    }
}

extension JobDefinition {
    package static let kinds = all.map(\.kind)

    package static let policies = Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.policy) })

    /// Nil for a kind of another release.
    package static func of(_ kind: JobKind) -> JobDefinition? { all.first { $0.kind == kind } }

    /// What the metrics of a worker count by.
    package static var metricLabels: KnownLabels {
        var known = KnownLabels()
        known.kinds = kinds.map(\.rawValue)
        known.outcomes = Outcome.names
        known.rejections = Dictionary(uniqueKeysWithValues: all.map { ($0.kind.rawValue, $0.rejections) })
        known.stages = all.flatMap(\.stages)
        known.dependencies = Set(all.flatMap(\.needs) + [.originals]).map(\.name).sorted()
        known.schedules = all.compactMap(\.schedule?.name)
        return known
    }

    package static func handlers(_ resources: JobResources) -> [JobKind: any JobHandler] {
        Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.makeHandler(resources)) })
    }
}

/// What handlers need for their work.
package struct JobResources: Sendable {
    let pool: PostgresPool
    package let media: any MediaStore
    let renderers: RendererPool
    let gazetteers: GazetteerHandle
    let rendering: RenderConfiguration
    let log: Log

    package init(
        pool: PostgresPool, media: any MediaStore, renderers: RendererPool, gazetteers: GazetteerHandle,
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
