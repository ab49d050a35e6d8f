/// A lease: the number of a registration of a worker (0 to 7), and the number of its claim (1 to 31).
package struct Token: Hashable, Sendable {
    package let worker: Int8
    package let claim: Int8
    package static let none = Token(worker: -1, claim: 0)

    package init(worker: Int8, claim: Int8) {
        self.worker = worker
        self.claim = claim
    }
    package var process: Int { Int(worker) / ModelState.registrations }
}

/// A job as the database has it.
package struct Job: Hashable, Sendable {
    package enum Place: UInt8, Sendable {
        case waiting, running
        /// Waits for its time, or for the turn of its key.
        case time, turn
        case succeeded, failed, cancelled
        package var isFinished: Bool { rawValue >= Place.succeeded.rawValue }
    }

    package var place = Place.waiting
    package var lease = Token.none
    package var deaths: Int8 = 0
    package var isCancelRequested = false
    package var hasRunningKey = false
    /// What the checks remember: somebody was promised the end of the job, and the lease that an operator took away.
    var isPromisedToEnd = false
    var released = Token.none
}

/// The row of a registration of a worker, and the rows of its leases.
package struct Registration: Hashable, Sendable {
    package enum Verdict: UInt8, Sendable { case none, dead, outdated }

    package var exists = false
    /// The number of the lowest claim that may have a row in leases.
    package var first: Int8 = 0
    package var leases = ClaimSet()
    /// What another worker thinks of it. `outdated` once a heartbeat came after that.
    package var verdict = Verdict.none
    /// It stopped in peace, with nothing left.
    var hasSignedOff = false
}

/// What a worker says about its leases.
package struct Statement: Hashable, Sendable {
    package var worker: Int8 = -1
    package var upTo: Int8 = 0
    /// For each job, the claims under which the worker runs it.
    package var running = Three(ClaimSet())
}

/// How a worker ends an attempt.
package enum Ending: UInt8, Sendable, CaseIterable { case success, retry, crash, returned, cancelled }

/// An attempt in the memory of a worker.
package struct Attempt: Hashable, Sendable {
    package enum Phase: UInt8, Sendable {
        case absent, running
        /// Its end is on the way to the database; the database has acted on it, and the reply is on the way.
        case writing, written
    }
    package enum Stop: UInt8, Sendable { case none, leaseLost, cancelled }

    package var phase = Phase.absent
    package var job: Int8 = 0
    package var token = Token.none
    package var ending = Ending.success
    package var stop = Stop.none
    package var isSuspect = false
}

/// A statement that nobody waits for any more, and that may still reach the server.
package struct LateRequest: Hashable, Sendable {
    package enum Kind: UInt8, Sendable { case none, claim, review, end }
    package var kind = Kind.none
    package var token = Token.none
    package var takesSuspect = false
    package var job: Int8 = 0
    package var ending = Ending.success
    package var statement = Statement()
}

/// A worker process.
package struct Process: Hashable, Sendable {
    package enum Call: UInt8, Sendable { case none, sent, replied }
    package enum Heartbeat: UInt8, Sendable { case none, counted, removed }

    package var lives = true
    package var isStopping = false
    package var isCutOff = false
    package var number: Int8
    package var lastClaim: Int8 = 0
    package var attempts = Four(Attempt())

    package var claim = Call.none
    package var claimToken = Token.none
    package var takesSuspect = false
    /// The worker was told to stop everything while the claim was under way.
    var isClaimLost = false
    /// The jobs of the reply, as bits.
    var claimed: UInt8 = 0
    var claimedSuspects: UInt8 = 0

    package var review = Call.none
    package var statement = Statement()
    /// What the reply says of running jobs.
    package var lostClaims = Three(ClaimSet())
    package var cancelledClaims = Three(ClaimSet())

    package var heartbeat = Heartbeat.none
}

/// The database, two workers, and what is under way between them.
package struct ModelState: Hashable, Sendable {
    /// How often a process may register.
    package static let registrations = 4

    package var jobs = Three(Job())
    package var registrations = Pair(Four(Registration()))
    package var processes = Pair(Process(number: 0))
    package var late = Pair(LateRequest())
    package var budget: Budget
    /// The rule that a step broke.
    var broken = Violation.none

    package init(_ budget: Budget, _ rules: Rules = Rules()) {
        self.budget = budget
        for job in rules.jobs..<3 { jobs[job].place = .succeeded }
        processes[1].number = Int8(Self.registrations)
        registrations[0][0].exists = true
        registrations[1][0].exists = true
    }

    package subscript(registration number: Int8) -> Registration {
        get { registrations[Int(number) / Self.registrations][Int(number) % Self.registrations] }
        set { registrations[Int(number) / Self.registrations][Int(number) % Self.registrations] = newValue }
    }
}

/// How much may happen in a history.
package struct Budget: Hashable, Sendable {
    /// Lost and late messages, cut-off and dead workers, locked rows.
    package var faults: Int8
    /// Cancels, releases, stops.
    package var orders: Int8
    /// Attempts that end without finishing their job.
    package var retries: Int8
    /// How many statements may be under way at the same time.
    package var underWay: Int8

    package init(faults: Int8, orders: Int8, retries: Int8 = 0, underWay: Int8 = 2) {
        self.faults = faults
        self.orders = orders
        self.retries = retries
        self.underWay = underWay
    }
}

/// What does not change within a search.
package struct Rules: Sendable {
    package let jobs: Int
    /// Jobs 0 and 1 share a fair key, of which one job may run at a time.
    package let isCapped: Bool
    package let maximumDeaths: Int8
    package let mutation: Mutation?

    package init(jobs: Int = 3, isCapped: Bool = false, maximumDeaths: Int8 = 2, mutation: Mutation? = nil) {
        self.jobs = jobs
        self.isCapped = isCapped
        self.maximumDeaths = maximumDeaths
        self.mutation = mutation
    }
}

/// Faults that somebody could make in the SQL or in a worker. The search must find each.
package enum Mutation: String, CaseIterable, Sendable {
    case signOffForgetsJobs
    case reviewPassesClaimsUnderWay
    case reviewIgnoresUpTo
    case reviewIgnoresWhatRuns
    case rescueIgnoresHeartbeats
    case returnForgetsCancel
    case returnKeepsRunningKey
    case upkeepForgetsParked
    case claimIgnoresFirstLease
    case firstLeasePassesHeldRows
    case finishIgnoresLease
    case claimAlwaysTakesSuspects
    case returnCountsAsDeath
    case limitIgnoresWhatRuns
    case lateReplyStartsJobs
    case newerJobsComeFirst
}

package enum Violation: String, Sendable {
    case none
    case endedUnderAnotherLease = "a job ended under a lease that it did not have"
    case ranAfterCancel = "a job was claimed after somebody was promised its end"
    case capExceeded = "more jobs of a key run than its limit allows"
    case ranTwice = "two workers run a job, and none of them was told to stop"
    case leaseWithoutRow = "a job runs under a lease without a row"
    case twoSuspects = "a worker runs two suspects"
    case blamedInPeace = "a death was counted although no worker died"
    case quarantinedEarly = "a job was quarantined before it had used up its deaths"
    case overtaken = "a job started although an older one of its key waited for its turn"
    case stuck = "a job is never finished, although everything goes on without faults"
}
