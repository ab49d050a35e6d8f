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

/// One claim of a worker: the number that it gives all the jobs it takes, as their lease.
///
/// It is the worker's number times 2^36, plus a number that the worker uses once. So no clock and no sequence is needed
/// to make it new.
package struct ClaimToken: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    /// - Parameter claim: 0 to 2^36 - 1, which is two years of a thousand claims a second.
    package init(_ worker: WorkerID, claim: Int64) { rawValue = worker.rawValue << 36 | claim }
    package var worker: WorkerID { WorkerID(rawValue: rawValue >> 36) }
    package var description: String { String(rawValue) }
    package static func < (a: ClaimToken, b: ClaimToken) -> Bool { a.rawValue < b.rawValue }
}

/// The right to work on a job: the token of the claim that took it, which is never used again.
///
/// Every later write to the job carries it. A write is refused if the job has another lease by then.
package struct Lease: Hashable, Sendable {
    package let job: JobID
    package let token: ClaimToken
    package var worker: WorkerID { token.worker }

    package init(job: JobID, token: ClaimToken) {
        self.job = job
        self.token = token
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
    /// Earlier tries in which the renderer died.
    package let crashes: Int
    /// Earlier tries in which the worker died or was cut off.
    package let deaths: Int
    /// From the time it was ready to run to the claim.
    package let waited: Duration
    /// How long its failed attempts and the waits after them have taken.
    package let tried: Duration

    package var id: JobID { lease.job }
    /// A worker runs one suspect at a time: if the worker dies again, the others are known to be innocent.
    package var isSuspect: Bool { deaths > 0 }

    package init(
        lease: Lease, kind: JobKind, subject: Int64, fairKey: String = "", lane: Lane = Lane(rawValue: 0),
        slot: Int64 = 0, attempt: Int, failures: Int, crashes: Int, deaths: Int = 0, waited: Duration = .zero,
        tried: Duration = .zero
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
        self.deaths = deaths
        self.waited = waited
        self.tried = tried
    }
}
