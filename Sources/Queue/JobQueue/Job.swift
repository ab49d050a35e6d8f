/// A job's number, unique within the database.
package struct JobID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { String(rawValue) }
    package static func < (a: JobID, b: JobID) -> Bool { a.rawValue < b.rawValue }
}

/// A worker process as the database knows it.
package struct WorkerID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { String(rawValue) }
}

/// The right to work on a job: a token that is new at every claim and never reused.
///
/// Every later write to the job carries it. A write is refused if the job has another lease by then.
package struct Lease: Hashable, Sendable {
    package let job: JobID
    package let token: Int64
    package let worker: WorkerID

    package init(job: JobID, token: Int64, worker: WorkerID) {
        self.job = job
        self.token = token
        self.worker = worker
    }
}

/// The ordered jobs of one kind and priority within a queue.
package struct Lane: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int16
    package init(rawValue: Int16) { self.rawValue = rawValue }
}

package struct ClaimedJob: Sendable {
    package let lease: Lease
    package let kind: JobKind
    /// The upload or post that the job is about.
    package let subject: Int64
    /// The uploader, whose turn in the fair order the job used.
    package let fairKey: String
    package let lane: Lane
    /// Its position in the lane.
    package let slot: Int64
    /// The number of this try, from 1.
    package let attempt: Int
    /// Earlier tries that count against the retry policy.
    package let failures: Int
    /// Earlier tries in which the worker or its renderer died.
    package let crashes: Int
    /// From the time it was ready to run to the claim.
    package let waited: Duration
    /// From its enqueueing to the claim.
    package let age: Duration

    package var id: JobID { lease.job }

    package init(
        lease: Lease, kind: JobKind, subject: Int64, fairKey: String = "", lane: Lane = Lane(rawValue: 0),
        slot: Int64 = 0, attempt: Int, failures: Int, crashes: Int, waited: Duration = .zero,
        age: Duration = .zero
    ) {
        self.lease = lease
        self.kind = kind
        self.subject = subject
        self.fairKey = fairKey
        self.lane = lane
        self.slot = slot
        self.attempt = attempt
        self.failures = failures
        self.crashes = crashes
        self.waited = waited
        self.age = age
    }
}
