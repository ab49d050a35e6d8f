import JobQueue
import JobStore
import Telemetry
import Testing

@testable import Worker

/// What `Tests/Queue/QueueModel` takes for granted of a worker's memory.
@Suite("What a worker runs")
struct RunningJobsTests {
    let running = RunningJobs(shownBy: WorkerMetrics.unexposed().jobsRunning)
    let worker = WorkerID(rawValue: 7)

    private func job(_ id: Int64, _ token: ClaimToken) -> RunningJob {
        RunningJob(
            ClaimedJob(
                lease: Lease(job: JobID(rawValue: id), token: token), kind: .noop, subject: 0, attempt: 1,
                failures: 0, crashes: 0),
            queue: "default", startedAt: .now)
    }

    @Test("a statement stops short of a claim under way, whose jobs may arrive at any moment")
    func claimUnderWay() {
        let first = running.beginClaim(for: worker)
        running.endClaim(first, with: [job(1, first)])
        let open = running.beginClaim(for: worker)
        let statement = running.statement(of: worker)
        #expect(statement.upTo >= first && statement.upTo < open)
        #expect(statement.running.map(\.lease.job.rawValue) == [1])
        running.endClaim(open, with: [])
        #expect(running.statement(of: worker).upTo >= open, "a claim that failed is no longer under way")
    }

    @Test("a claim is settled once all its jobs have ended, and only if the database has said so of each")
    func settled() {
        let (kept, dropped) = (running.beginClaim(for: worker), running.beginClaim(for: worker))
        let confirmed = [job(1, kept), job(2, kept)]
        let doubtful = [job(3, dropped), job(4, dropped)]
        running.endClaim(kept, with: confirmed)
        running.endClaim(dropped, with: doubtful)
        running.remove(confirmed.prefix(1), isConfirmed: true)
        running.remove(doubtful.prefix(1), isConfirmed: false)
        #expect(running.statement(of: worker).settled.isEmpty, "a job of each still runs")
        running.remove(confirmed.suffix(1), isConfirmed: true)
        running.remove(doubtful.suffix(1), isConfirmed: true)
        #expect(running.statement(of: worker).settled == [kept])
        running.note(reviewed: running.statement(of: worker))
        #expect(running.statement(of: worker).settled.isEmpty)
    }

    @Test("when everything is stopped, the jobs of a claim under way are too")
    func lateReply() {
        let open = running.beginClaim(for: worker)
        running.stopAll(.leaseLost)
        let late = job(1, open)
        running.endClaim(open, with: [late])
        #expect(late.cause == .leaseLost, "the worker has no right to it any more")
        let next = running.beginClaim(for: worker)
        let later = job(2, next)
        running.endClaim(next, with: [later])
        #expect(later.cause == nil)
    }
}
