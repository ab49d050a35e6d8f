import JobQueue
import JobStore
import Telemetry
import Testing

@testable import Worker

@Suite("What a worker says it runs")
struct RunningJobsTests {
    static let worker = WorkerID(rawValue: 5)

    static func jobs(_ numbers: ClosedRange<Int64>, of token: ClaimToken) -> [RunningJob] {
        numbers.map {
            RunningJob(
                ClaimedJob(
                    lease: Lease(job: JobID(rawValue: $0), token: token), kind: .noop, subject: 1, attempt: 1,
                    failures: 0, crashes: 0), queue: "default", startedAt: .now)
        }
    }

    static func running() -> RunningJobs {
        RunningJobs(shownBy: WorkerMetrics.unexposed().jobsRunning)
    }

    @Test("leaves out claims that are under way, and those after them")
    func underWay() {
        let running = Self.running()
        let first = running.beginClaim(for: Self.worker)
        running.endClaim(first, with: Self.jobs(1...2, of: first))
        #expect(running.statement(of: Self.worker).upTo == first)
        let second = running.beginClaim(for: Self.worker)
        #expect(running.statement(of: Self.worker).upTo == first)
        let third = running.beginClaim(for: Self.worker)
        running.endClaim(third, with: Self.jobs(3...3, of: third))
        let statement = running.statement(of: Self.worker)
        #expect(statement.upTo == first && statement.running.count == 3)
        running.endClaim(second, with: [])
        #expect(running.statement(of: Self.worker).upTo == third)
    }

    @Test("names a claim as settled only if the database has said that each of its jobs has ended")
    func settled() {
        let running = Self.running()
        let (first, second) = (running.beginClaim(for: Self.worker), running.beginClaim(for: Self.worker))
        let (sure, doubtful) = (Self.jobs(1...2, of: first), Self.jobs(3...4, of: second))
        running.endClaim(first, with: sure)
        running.endClaim(second, with: doubtful)
        running.remove(sure.prefix(1), isConfirmed: true)
        #expect(running.statement(of: Self.worker).settled.isEmpty)
        running.remove(sure.suffix(1), isConfirmed: true)
        running.remove(doubtful.prefix(1), isConfirmed: false)
        running.remove(doubtful.suffix(1), isConfirmed: true)
        let statement = running.statement(of: Self.worker)
        #expect(statement.settled == [first] && statement.running.isEmpty)
        running.note(reviewed: statement)
        #expect(running.statement(of: Self.worker).settled.isEmpty)
    }

    @Test("a job that its own worker claims again takes one more slot, and gives back both")
    func claimedAgain() {
        let running = Self.running()
        let (first, second) = (running.beginClaim(for: Self.worker), running.beginClaim(for: Self.worker))
        let (lost, again) = (Self.jobs(1...1, of: first), Self.jobs(1...1, of: second))
        running.endClaim(first, with: lost)
        running.endClaim(second, with: again)
        #expect(running.count(in: "default") == 2 && running.count == 2)
        running.remove(lost, isConfirmed: false)
        #expect(running.count(in: "default") == 1)
        running.remove(lost, isConfirmed: false)
        running.remove(again, isConfirmed: true)
        #expect(running.count(in: "default") == 0 && running.count == 0)
    }

    @Test("says nothing of an earlier registration")
    func registeredAgain() {
        let running = Self.running()
        let old = running.beginClaim(for: Self.worker)
        running.endClaim(old, with: Self.jobs(1...1, of: old))
        let unfinished = running.beginClaim(for: Self.worker)
        let successor = WorkerID(rawValue: 9)
        let new = running.beginClaim(for: successor)
        running.endClaim(new, with: [])
        let statement = running.statement(of: successor)
        #expect(statement.running.isEmpty && statement.settled.isEmpty && statement.upTo == new)
        running.endClaim(unfinished, with: [])
    }
}
