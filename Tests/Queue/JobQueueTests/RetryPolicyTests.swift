import JobQueue
import Testing

@Suite("The retry policy")
struct RetryPolicyTests {
    let policy = RetryPolicy(maximumFailures: 4, maximumCrashes: 3, base: .seconds(2), cap: .seconds(60))
    let fault = Reason(code: "disk_full", message: "The media store is full.")

    func job(
        failures: Int = 0, crashes: Int = 0, deaths: Int = 0, tried: Duration = .zero
    ) -> ClaimedJob {
        ClaimedJob(
            lease: Lease(job: JobID(rawValue: 1), token: ClaimToken(rawValue: 9)), kind: .noop,
            subject: 1, attempt: failures + crashes + 1, failures: failures, crashes: crashes,
            deaths: deaths, tried: tried)
    }

    @Test(
        "doubles the delay up to the cap",
        arguments: [(1, 2), (2, 4), (3, 8), (5, 32), (6, 60), (50, 60), (10_000, 60)])
    func delays(failure: Int, seconds: Int) {
        #expect(policy.delay(afterFailure: failure, jitter: 1) == .seconds(seconds))
        #expect(policy.delay(afterFailure: failure, jitter: 0) == .seconds(seconds) / 2)
    }

    @Test("limits jitter outside of its range to the delay", arguments: [-3.0, 2.0])
    func jitterIsClamped(jitter: Double) {
        let delay = policy.delay(afterFailure: 3, jitter: jitter)
        #expect(delay >= .seconds(4) && delay <= .seconds(8))
    }

    @Test("fails the job at its last allowed failure")
    func lastFailure() {
        #expect(
            policy.outcome(of: .systemFault(fault), on: job(failures: 2), jitter: 1)
                == .retry(fault, delay: .seconds(8)))
        #expect(policy.outcome(of: .systemFault(fault), on: job(failures: 3), jitter: 1) == .failed(fault))
    }

    /// The next try would be after 2 s.
    @Test(
        "fails a job whose tries would take longer than the total deadline with the next wait",
        arguments: [(97, false), (98, false), (99, true), (100, true), (101, true)])
    func totalDeadline(tried: Int, isOver: Bool) {
        var policy = policy
        policy.totalDeadline = .seconds(100)
        let outcome = policy.outcome(of: .systemFault(fault), on: job(tried: .seconds(tried)), jitter: 1)
        if isOver {
            guard case .failed(let reason) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(reason.code == "expired")
        } else {
            #expect(outcome == .retry(fault, delay: .seconds(2)))
        }
    }

    @Test("counts crashes separately from failures, and quarantines at the third")
    func crashes() {
        let died = Reason(code: "renderer_died", message: "The renderer died.")
        #expect(
            policy.outcome(of: .rendererDied(died), on: job(failures: 3, crashes: 1), jitter: 0)
                == .crashed(died))
        guard
            case .failed(let reason) = policy.outcome(of: .rendererDied(died), on: job(crashes: 2), jitter: 0)
        else {
            Issue.record("the third crash did not quarantine the job")
            return
        }
        #expect(reason.code == "poison")
        #expect(reason.message.contains(died.message))
    }

    @Test(
        "a job for which the machine has too little waits longer each time, and is given up after the total deadline"
    )
    func machineShort() {
        let killed = Reason(code: "renderer_killed", message: "The renderer was killed from outside.")
        func outcome(tried: Duration) -> Outcome {
            policy.outcome(
                of: .machineShort(killed), on: job(failures: 3, crashes: 2, deaths: 7, tried: tried),
                jitter: 1)
        }
        #expect(outcome(tried: .zero) == .killed(killed, delay: policy.base))
        #expect(outcome(tried: .seconds(17)) == .killed(killed, delay: .seconds(17)))
        #expect(outcome(tried: .seconds(500)) == .killed(killed, delay: policy.cap))
        guard case .failed(let reason) = outcome(tried: RetryPolicy.longestShortage) else {
            Issue.record("it is tried for ever")
            return
        }
        #expect(reason.code == "expired" && reason.message.contains(killed.message))
    }

    @Test("counts no failure for a rejection, a snooze, a shutdown or a cancel")
    func freeOutcomes() {
        let spent = job(failures: 3, crashes: 2)
        #expect(policy.outcome(of: .rejected(fault), on: spent, jitter: 0) == .rejected(fault))
        #expect(
            policy.outcome(of: .notYet(fault, delay: .seconds(5)), on: spent, jitter: 0)
                == .snoozed(fault, delay: .seconds(5)))
        #expect(policy.outcome(of: .shutdown, on: spent, jitter: 0).event == .handBack)
        #expect(policy.outcome(of: .cancelled, on: spent, jitter: 0).event == .cancel)
    }
}
