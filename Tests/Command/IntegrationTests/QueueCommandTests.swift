import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("darkroom queue and darkroom workers", .timeLimit(.minutes(15)))
struct QueueCommandTests {
    @Test("pauses and resumes, says what it did, and changes nothing the second time")
    func pause() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            try await database.enqueue()
            let first = try await darkroom.json("queue", "pause", "--queue", "default", "--by", "olga")
            #expect(first.map { $0.bool("changed") } == [true])
            let worker = try await database.worker()
            #expect(try await database.store.claim(limit: 1, worker: worker).isEmpty)
            let second = try await darkroom.darkroom("queue", "pause", "--queue", "default", "--by", "pete")
            #expect(
                second.ending == .exited(0)
                    && second.standardOutput.contains("already: queue default, by olga"))
            let list = try #require(try await darkroom.json("queue", "list").first)
            #expect(list.array("pauses").map { $0.string("by") } == ["olga"])

            _ = try await darkroom.json("queue", "pause", "--kind", "ingest")
            let resumed = try await darkroom.darkroom("queue", "resume", "--queue", "default")
            #expect(resumed.standardOutput.contains("Resumed queue default"))
            #expect(resumed.standardError.contains("Still in force: the pause of kind ingest"))
            #expect(
                try await darkroom.json("queue", "resume", "--kind", "ingest").map { $0.bool("changed") } == [
                    true
                ])
            #expect(
                try await darkroom.json("queue", "resume", "--kind", "ingest").map { $0.bool("changed") } == [
                    false
                ])
            #expect(try await database.store.claim(limit: 1, worker: worker).count == 1)
        }
    }

    @Test("refuses an unknown queue, and a pause of nothing", arguments: ["pause", "resume", "drain"])
    func unknownQueue(command: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let output = try await darkroom.darkroom("queue", command, "--queue", "nosuch")
            #expect(output.ending == .exited(1) && output.standardError.contains("the queues are default"))
            #expect(try await darkroom.database.store.pauses().isEmpty)
            let nothing = try await darkroom.darkroom("queue", command)
            #expect(nothing.ending == .exited(64) && nothing.standardError.contains("--kind"))
        }
    }

    @Test("drains: waits for present jobs, holds back new ones, and survives the end of the command")
    func drain() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            try await database.enqueue()
            let running = try await database.claimOne()
            let impatient = try OperatorProcess(darkroom, "queue", "drain", "--queue", "default")
            try await until {
                try await !database.store.pauses().isEmpty && impatient.text.contains("Draining")
            }
            impatient.send(SIGINT)
            #expect(try await impatient.end() == .exited(128 + SIGINT))
            #expect(impatient.text.contains("stays in force"))

            let patient = try OperatorProcess(darkroom, "queue", "drain", "--queue", "default")
            let late = try await database.enqueue()
            #expect(try await database.state(of: late) == .parked)
            try await until { patient.text.contains("Draining already") }
            try await database.store.end(running.lease, as: .succeeded)
            #expect(try await patient.end() == .exited(0))
            #expect(patient.text.contains("nothing is left of queue default"))
            _ = try await darkroom.json("queue", "resume", "--queue", "default")
            #expect(try await database.state(of: late) == .waiting)
        }
    }

    @Test("shows depths, latencies, failures by reason, workers and pauses")
    func stats() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.failed("disk_full")
            try await darkroom.database.enqueue()
            _ = try await darkroom.json("queue", "pause", "--kind", "moderate", "--by", "olga")
            let stats = try #require(try await darkroom.json("queue", "stats").first)
            #expect(stats.array("unfinished").map { $0.string("state") } == ["waiting"])
            #expect(stats.array("finished_last_hour").map { $0.string("reason") } == ["disk_full"])
            let latency = try #require(stats.array("latencies_last_hour").first)
            for name in ["p50", "p95", "p99"] {
                #expect(latency.number("wait_s", name) != nil && latency.number("run_s", name) != nil)
            }
            #expect(
                stats.array("workers").count == 1 && stats.array("pauses").map { $0.string("by") } == ["olga"]
            )
            let text = try await darkroom.darkroom("queue", "stats").standardOutput
            for part in ["WAITING", "p99", "disk_full", "RUNNING", "the pause of kind moderate by olga"] {
                #expect(text.contains(part), "\(part): \(text)")
            }
        }
    }

    @Test("computes rates from the differences between two refreshes")
    func rates() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let before = try await database.store.counters()
            for _ in 0..<5 { try await database.enqueue() }
            let first = try await database.claimOne()
            _ = try await database.claimOne()
            let retried = try await database.claimOne()
            let reason = Reason(code: "busy", message: "Busy.")
            try await database.store.end(first.lease, as: .succeeded)
            try await database.store.end(retried.lease, as: .retry(reason, delay: .seconds(60)))
            let now = try await database.store.now()
            var after = try await database.store.counters(since: before)
            while after.endsUntil < now { after = try await database.store.counters(since: before) }
            #expect(after.numbersDrawn - before.numbersDrawn == 5)
            #expect(after.running == 1 && after.attemptsEnded == 2 && after.jobsFinished == 1)
            let rates = try #require(QueueRates(from: before, to: after))
            let seconds = after.at.timeIntervalSince(before.at)
            #expect(abs(rates.enqueued * seconds - 5) < 1e-6 && rates.claimed * seconds > 2.9)
        }
    }

    @Test("appends one report per refresh if there is no terminal, and stops after --count")
    func topWithoutTerminal() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.enqueue()
            let looks = try await darkroom.json("queue", "top", "--interval", "200ms", "--count", "2")
            #expect(looks.count == 2)
            #expect(
                looks.allSatisfy { $0.number("rates_per_s", "enqueued") != nil && $0.number("running") == 0 })
            let text = try await darkroom.darkroom("queue", "top", "--interval", "200ms", "--count", "1")
                .standardOutput
            #expect(text.contains("enqueued 0.0/s") && text.contains("WAITING") && !text.contains("\u{1B}"))
        }
    }

    @Test("redraws on a terminal, follows its size, and restores the screen", arguments: [SIGINT, SIGTERM])
    func topOnTerminal(signal: Int32) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.enqueue()
            let terminal = try PseudoTerminal(columns: 100, lines: 40)
            let top = try darkroom.command(["queue", "top", "--interval", "10s"]).start(
                output: terminal.child)
            let first = try await terminal.read { $0.contains("Workers: none") }
            #expect(first.hasPrefix("\u{1B}[?1049h") && first.contains("OLDEST WAITS"))
            // Long before the next refresh, only because of the new size.
            terminal.resize(columns: 60, lines: 5)
            top.send(SIGWINCH)
            let second = try await terminal.read { $0.contains("more lines") }
            // The rest of the first screen may come before it.
            let picture = try #require(second.split(separator: "\u{1B}[H").last)
            #expect(second.contains("\u{1B}[H") && picture.split(separator: "\r\n").count == 5)
            top.send(signal)
            #expect(try await top.end() == .exited(0))
            #expect(terminal.read().hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("lists workers with their queues, and drains one until it is gone")
    func workers() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let worker = try OperatorProcess(darkroom, "work", "--queue", "default=2", "--queue", "bulk=1")
            try await until { try await !darkroom.database.store.workers().isEmpty }
            let listed = try #require(try await darkroom.json("workers", "list").first)
            #expect(listed.number("queues", "bulk") == 1 && listed.number("concurrency") == 3)
            #expect(listed.string("state") == "works")
            let number = String(Int(try #require(listed.number("worker_id"))))
            let odd = try await darkroom.darkroom("workers", "drain", "99")
            #expect(odd.ending == .exited(1) && odd.standardError.contains("the workers are \(number)"))
            let drained = try await darkroom.darkroom("workers", "drain", number, "--wait")
            #expect(drained.ending == .exited(0), "\(drained.standardError)")
            #expect(try await darkroom.database.store.workers().isEmpty)
            #expect(try await worker.end() == .exited(0))
        }
    }
}
