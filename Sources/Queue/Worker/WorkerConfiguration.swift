package import JobQueue
package import JobStore

extension Worker {
    package struct Configuration: Sendable {
        /// The queues that it serves; at least one.
        package var queues: [ServedQueue]
        package var host: String
        package var pid: Int32
        package var version: String
        /// While the database has another schema, the worker claims nothing.
        package var schemas = ServedSchemas.all
        /// The policies of kinds without a row in the database.
        package var policies: [JobKind: RetryPolicy] = [:]
        /// The policy of kinds that are not in ``policies`` either.
        package var policy = RetryPolicy.standard
        /// What its jobs need, each with the way to see whether it is there.
        package var probes: [Probe] = []
        /// The dependencies of each kind's jobs.
        package var needs: [JobKind: Set<Dependency>] = [:]
        /// Whether it ends once no job is left that could run.
        package var drains = false
        /// The most connections to the database: one for heartbeats, one to listen, the others for the pool. A large fleet
        /// takes fewer each.
        package var connections = 4
        /// The most jobs that one claim takes.
        package var largestClaim = JobStore.largestClaim
        /// How long running jobs may go on after ``Worker/stop()`` before they are returned.
        package var shutdownBudget = Duration.seconds(25)
        /// How long it may take to tell the database that it is gone. Others remove a worker that did not.
        package var signOffLimit = Duration.seconds(5)
        /// The same without a running job: then there is nothing to return.
        package var idleSignOffLimit = Duration.seconds(2)
        /// The pauses between two looks at a dependency that is away.
        package var probePauses = RetryPolicy(
            maximumFailures: .max, maximumCrashes: 1, base: .milliseconds(500), cap: .seconds(15))
        /// How often an idle worker looks for jobs, in case a notification is lost.
        package var pollInterval = Duration.seconds(2)
        /// The same while it cannot receive notifications.
        package var deafPollInterval = Duration.milliseconds(500)
        package var heartbeatInterval = Duration.seconds(2)
        /// A worker whose heartbeats stand still for this long counts as dead.
        package var leaseDuration = JobStore.leaseDuration
        /// By which the heartbeats of other workers are judged. A test may turn it.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }
        package var maintenanceInterval = Duration.seconds(1)
        /// How often the queue's metrics are read from the database, a bounded but costly query; nil for never.
        package var queueMetricsInterval: Duration?
        /// A loop without a turn for longer than this hangs. Must exceed ``pollInterval`` and the longest query.
        package var standstillLimit = Duration.seconds(45)
        /// How often the listener proves that notifications still reach it.
        package var echoInterval = Duration.seconds(10)

        package init(queues: [ServedQueue], host: String, pid: Int32, version: String) {
            self.queues = queues
            self.host = host
            self.pid = pid
            self.version = version
        }

        var concurrency: Int { queues.reduce(0) { $0 + $1.concurrency } }
    }
}
