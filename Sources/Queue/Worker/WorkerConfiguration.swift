package import JobQueue
package import JobStore

extension Worker {
    package struct Configuration: Sendable {
        /// The queues that it serves; one at least.
        package var queues: [ServedQueue]
        package var host: String
        package var pid: Int32
        package var version: String
        /// For kinds without a row in the database.
        package var policies: [JobKind: RetryPolicy] = [:]
        /// For kinds that ``policies`` does not have either.
        package var policy = RetryPolicy.standard
        /// Return once nothing is left that could run.
        package var drains = false
        /// Jobs that one claim takes at most.
        package var largestClaim = 500
        /// How long running jobs may go on after ``Worker/stop()`` before they are given back.
        package var shutdownBudget = Duration.seconds(25)
        /// The longest an idle worker goes without looking, should a notification be lost.
        package var pollInterval = Duration.seconds(2)
        /// The same while no notification can be received.
        package var deafPollInterval = Duration.milliseconds(500)
        package var heartbeatInterval = Duration.seconds(3)
        package var maintenanceInterval = Duration.seconds(1)
        /// How often the queue's metrics are read from the database, a bounded but costly look; nil for never.
        package var queueMetricsInterval: Duration?
        /// A loop of which no turn is seen for longer stands still. Longer than ``pollInterval``, and than any
        /// query may take.
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
