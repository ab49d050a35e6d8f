package import JobQueue

/// A refusal by the queue.
package struct QueueError: Error, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The job is no longer held under this lease: another worker may have it.
        case leaseLost(Lease)
        /// The job has a kind or state that this release does not know.
        case unknownKind(String)
        /// The worker was removed as dead, and other workers took its jobs.
        case workerRemoved(WorkerID)
    }

    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    package var description: String {
        switch code {
        case .leaseLost(let lease):
            "the lease \(lease.token) on job \(lease.job) is lost: another worker may hold the job"
        case .unknownKind(let kind):
            "this release does not know jobs of kind \(kind): run the release that enqueued it"
        case .workerRemoved(let worker):
            "worker \(worker) sent no heartbeat in time, so other workers took its jobs"
        }
    }
}
