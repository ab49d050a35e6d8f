import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("darkroom jobs", .timeLimit(.minutes(15)))
struct JobsCommandTests {
    @Test("lists the jobs that all conditions match")
    func list() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            let full = try await database.failed("disk_full", uploader: "ada", cause: "write: ENOSPC (28%)")
            let slow = try await database.failed("too_slow", uploader: "bob")
            let waiting = try await database.enqueue(uploader: "bob")
            for (options, expected) in [
                ([], [waiting, slow, full]), (["--state", "failed"], [slow, full]),
                (["--state", "failed", "--state", "waiting", "--uploader", "bob"], [waiting, slow]),
                (["--reason", "too_slow"], [slow]), (["--text", "WAS DISK"], [full]),
                (["--text", "enospc (28%"], [full]),
                (["--text", "enospc_"], []), (["--kind", "moderate"], []),
                (["--queue", "default"], [waiting, slow, full]),
                (["--since", "1h"], [waiting, slow, full]), (["--before", "1h"], []),
                (["--since", "2020-01-01T00:00:00Z", "--before", "2021-01-01T00:00:00Z"], []),
                ([full.description, waiting.description], [waiting, full]), (["--limit", "1"], [waiting]),
            ] as [([String], [JobID])] {
                let lines = try JSONObject.lines(
                    try await darkroom.command(["jobs", "list", "--json"] + options).runSuccessfully()
                        .standardOutput)
                #expect(
                    lines.map { $0.number("job_id") } == expected.map { Double($0.rawValue) }, "\(options)")
            }
            let odd = try await darkroom.darkroom("jobs", "list", "--queue", "nosuch")
            #expect(odd.ending == .exited(1))
            #expect(odd.standardError.contains("the queues are default"))
        }
    }

    @Test("refuses an empty filter, which would select every job")
    func empty() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let failed = try await darkroom.database.failed("disk_full", uploader: "ada")
            let waiting = try await darkroom.database.enqueue(uploader: "bob")
            for action in ["list", "export", "replay", "discard", "cancel"] {
                for option in ["--text", "--reason", "--uploader", "--queue"] {
                    let odd = try await darkroom.darkroom("jobs", action, option, "")
                    #expect(odd.ending == .exited(64), "\(action) \(option)")
                    #expect(
                        odd.standardError.contains("\(option) is empty"), "\(action): \(odd.standardError)")
                }
            }
            #expect(try await darkroom.database.state(of: failed) == .failed)
            #expect(try await darkroom.database.state(of: waiting) == .waiting)
            let pause = try await darkroom.darkroom("queue", "pause", "--queue=", "--kind", "ingest")
            #expect(pause.ending == .exited(64))
        }
    }

    @Test("shows what each attempt went through, who replayed the job, and what it waits for")
    func show() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let trace = AttemptTrace()
            trace.enter("open")
            trace.enter("render")
            trace.note(verdict: "accepted jpeg 400x300")
            let reason = Reason(code: "disk_full", message: "Full\u{1B}[2J.")
            let job = try await darkroom.database.finished(as: .failed(reason), cause: "ENOSPC", trace: trace)
            let number = job.description
            try await darkroom.database.pool.query("delete from darkroom.workers")
            _ = try await darkroom.darkroom(
                "jobs", "replay", number, "--by", "olga", "--why", "disk replaced")
            let text = try await darkroom.darkroom("jobs", "show", number).standardOutput
            for part in [
                "ENOSPC", "render ", "accepted jpeg 400x300", "disk_full", "by olga", "disk replaced",
                "there is none: start one with 'darkroom work --queue default=N'",
            ] {
                #expect(text.contains(part), "\(part): \(text)")
            }
            #expect(!text.contains("\u{1B}"), "a message contains control characters")
            let shown = try #require(try await darkroom.json("jobs", "show", number).first)
            let attempt = try #require(shown.array("attempts").first)
            #expect(attempt.string("lease") != nil && attempt.string("cause") == "ENOSPC")
            #expect(attempt.array("stages").map { $0.string("stage") } == ["open", "render"])
            #expect(shown.array("replays").map { $0.string("from_state") } == ["failed"])

            _ = try await darkroom.darkroom("queue", "pause", "--kind", "ingest", "--by", "olga")
            let paused = try await darkroom.darkroom("jobs", "show", number).standardOutput
            #expect(paused.contains("the end of the pause of kind ingest by olga"))
            _ = try await darkroom.darkroom("queue", "drain", "--kind", "ingest", "--no-wait")
            let parked = try await darkroom.database.enqueue()
            let held = try await darkroom.darkroom("jobs", "show", parked.description).standardOutput
            #expect(held.contains("the end of the drain of kind ingest"))
        }
    }

    @Test("replays rejected and failed jobs by filter, after a dry run that lists them")
    func replayByFilter() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let database = darkroom.database
            for _ in 0..<3 { try await database.failed("disk_full") }
            let other = try await database.failed("too_slow")
            let cancelled = try await database.enqueue()
            _ = try await database.store.cancel(cancelled)

            let dry = try await darkroom.darkroom("jobs", "replay", "--since", "1h", "--dry-run")
            #expect(dry.ending == .exited(0) && dry.standardError.contains("4 jobs would be replayed"))
            #expect(dry.standardOutput.contains("disk_full") && dry.standardOutput.contains("3\n"))
            #expect(try await database.jobs(in: [.failed]).count == 4, "a dry run changes nothing")

            let two = try await darkroom.json(
                "jobs", "replay", "--reason", "disk_full", "--limit", "2", "--by", "olga", "--why", "new disk"
            )
            #expect(two.map { $0.number("job_id") } == [1, 2], "oldest first")
            let noted = try await database.store.replays(of: JobID(rawValue: 1))
            #expect(noted.map(\.by) == ["olga"] && noted.map(\.why) == ["new disk"])

            _ = try await darkroom.json("jobs", "replay", "--since", "1h")
            #expect(try await database.jobs(in: [.waiting]).count == 4)
            #expect(try await database.state(of: other) == .waiting)
            #expect(try await database.state(of: cancelled) == .cancelled, "nobody asked to replay these")
            let wrong = try await darkroom.darkroom("jobs", "replay", "--state", "succeeded")
            #expect(
                wrong.ending == .exited(64) && wrong.standardError.contains("rejected, failed, cancelled"))
        }
    }

    @Test("says which of the given jobs could not be replayed, and why")
    func replayByNumber() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let done = try await darkroom.database.finished(as: .succeeded)
            let failed = try await darkroom.database.failed("disk_full")
            for options in [["--dry-run"], []] {
                let output = try await darkroom.command(
                    ["jobs", "replay", "\(done)", "\(failed)", "999"] + options
                ).run()
                #expect(output.ending == .exited(1))
                #expect(output.standardError.contains("\(done) is succeeded, 999 is unknown"))
                #expect(output.standardError.contains("1 job "))
            }
            #expect(try await darkroom.database.state(of: failed) == .waiting)
        }
    }

    @Test("keeps to the rate, and stops between two pages on request")
    func paceAndInterruption() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            for _ in 0..<6 { try await darkroom.database.failed("disk_full") }
            let start = ContinuousClock.now
            _ = try await darkroom.json("jobs", "replay", "--reason", "disk_full", "--rate", "10")
            // Pages of five: the second may start half a second after the first.
            #expect(ContinuousClock.now - start >= .milliseconds(500))
            _ = try await darkroom.json("jobs", "cancel", "--state", "waiting")

            for _ in 0..<4 { try await darkroom.database.failed("too_slow") }
            let slow = try OperatorProcess(
                darkroom, "jobs", "replay", "--reason", "too_slow", "--rate", "0.1")
            try await until { try await darkroom.database.store.replays(of: JobID(rawValue: 7)).count == 1 }
            slow.send(SIGINT)
            #expect(try await slow.end() == .exited(128 + SIGINT))
            #expect(slow.text.contains("Interrupted: 1 of 4 jobs replayed"))
            #expect(try await darkroom.database.jobs(in: [.failed]).count == 3)
        }
    }

    @Test("discards jobs, and keeps how they had ended")
    func discard() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let job = try await darkroom.database.failed("disk_full", cause: "ENOSPC")
            _ = try await darkroom.json(
                "jobs", "discard", "--state", "failed", "--by", "olga", "--why", "gone")
            let record = try #require(try await darkroom.database.store.job(job))
            #expect(record.state == .cancelled && record.reason?.code == "discarded")
            #expect(record.reason?.message.contains("olga: gone. The job was failed (disk_full)") == true)
            let attempts = try await darkroom.database.store.attempts(of: job)
            #expect(attempts.map(\.outcome) == ["failed"] && attempts.map(\.cause) == ["ENOSPC"])
            let again = try await darkroom.darkroom("jobs", "discard", job.description)
            #expect(again.ending == .exited(1) && again.standardError.contains("is cancelled"))
            #expect(try await darkroom.json("jobs", "replay", job.description).count == 1)
            #expect(try await darkroom.database.store.attempts(of: job).count == 1)
        }
    }

    @Test("cancels every unfinished job that matches")
    func cancel() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            for _ in 0..<3 { try await darkroom.database.enqueue(uploader: "bob") }
            let kept = try await darkroom.database.enqueue(uploader: "ada")
            let all = try await darkroom.darkroom("jobs", "cancel")
            #expect(all.ending == .exited(64), "never all jobs by accident")
            #expect(try await darkroom.json("jobs", "cancel", "--uploader", "bob").count == 3)
            #expect(try await darkroom.database.jobs(in: [.waiting]).map(\.id) == [kept])
        }
    }

    @Test("exports every job once, page by page, with attempts and the original's key")
    func export() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let failed = try await darkroom.database.failed("disk_full")
            _ = try await darkroom.database.store.enqueue(
                .noop, subjects: Array(1...1200), fairKeys: ["load"])
            let output = try await darkroom.command(["jobs", "export"]).runSuccessfully().standardOutput
            let lines = try JSONObject.lines(output)
            #expect(Set(lines.compactMap { $0.number("job_id") }).count == 1201 && lines.count == 1201)
            let job = try #require(lines.first { $0.number("job_id") == Double(failed.rawValue) })
            #expect(job.array("attempts").map { $0.string("reason") } == ["disk_full"])
            #expect(job.string("upload", "original_key") == "originals/x")
            #expect(lines.first?.isNull("upload") == true, "no upload belongs to it")
        }
    }
}
