/// A job's number, unique for the life of the database.
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

/// The right to work on a job: a token new at every claim and never reused.
///
/// Every later write on the job carries it. A write whose lease is no longer the job's is refused.
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

/// An order of jobs within a queue: those of one kind and priority.
package struct Lane: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int16
    package init(rawValue: Int16) { self.rawValue = rawValue }
}

/// A job as it is claimed.
package struct ClaimedJob: Sendable {
    package let lease: Lease
    package let kind: JobKind
    /// The upload or post that the job is about.
    package let subject: Int64
    /// Whose turn it took: the uploader.
    package let fairKey: String
    package let lane: Lane
    /// Its place in the lane's order.
    package let slot: Int64
    /// The number of this try, from 1.
    package let attempt: Int
    /// Earlier tries that count against the retry policy.
    package let failures: Int
    /// Earlier tries in which the worker or its renderer died.
    package let crashes: Int
    /// From when it could have run to the claim.
    package let waited: Duration
    /// From when it was enqueued to the claim.
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
