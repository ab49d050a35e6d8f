package import Gazetteer
package import Imaging
import JobStore
package import MediaStore
package import Postgres
package import Telemetry

/// What the doctor finds.
package struct ConsoleFinding: Sendable {
    package let what: String
    package let detail: String
    /// How to mend it; nil if it is only worth knowing.
    package let remedy: String?

    package init(what: String, detail: String, remedy: String?) {
        self.what = what
        self.detail = detail
        self.remedy = remedy
    }
}

/// What the pages of the console need.
package struct ConsoleSite: Sendable {
    /// Its connections have the role of operators.
    let operators: PostgresPool
    /// Its connections have the role of moderators: the database itself refuses what they may not.
    let moderators: PostgresPool
    let media: any MediaStore
    let renderers: RendererPool
    let gazetteers: GazetteerHandle?
    let findings: @Sendable () async throws -> [ConsoleFinding]
    let cookie: SessionCookie
    /// Who lets people in besides invitations.
    let provider: SignInProvider?
    let log: Log
    let runs = BulkRuns()

    var jobs: JobStore { JobStore(pool: operators) }
    var sessions: ConsoleSessions { ConsoleSessions(jobs) }
    var actions: OperatorActions { OperatorActions(jobs) }

    /// - Parameter isSecure: whether browsers reach the console over TLS.
    package init(
        operators: PostgresPool, moderators: PostgresPool, media: any MediaStore, renderers: RendererPool,
        gazetteers: GazetteerHandle?, provider: SignInProvider?, isSecure: Bool, log: Log,
        findings: @escaping @Sendable () async throws -> [ConsoleFinding]
    ) {
        self.operators = operators
        self.moderators = moderators
        self.media = media
        self.renderers = renderers
        self.gazetteers = gazetteers
        self.provider = provider
        self.findings = findings
        self.log = log
        cookie = SessionCookie(isSecure: isSecure)
    }

    /// The connections that a session may use for posts and reports.
    func reviewing(_ session: ConsoleSession) -> PostgresPool {
        session.role == .moderator ? moderators : operators
    }
}
