import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import Proxying
import TestKit
import Testing
import Threads

/// Watches real workers from outside.
@Suite("A worker can be watched", .timeLimit(.minutes(15)))
struct WatchingTests {
    /// Enqueues a file of the test.
    @discardableResult
    private func enqueue(_ bytes: [UInt8], _ name: String, _ darkroom: Installation) async throws -> JobID {
        let path = try darkroom.write(bytes, to: name)
        let job = try #require(try await darkroom.json("enqueue", path).first?.number("job_id"))
        return JobID(rawValue: Int64(job))
    }

    private func located(_ seed: Int) -> [UInt8] {
        PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: seed)
    }

    @Test("/metrics shows what happened, in the Prometheus format")
    func metrics() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            for seed in 1...3 { try await enqueue(located(seed), "\(seed).jpg", darkroom) }
            try await enqueue(Array("no photo at all".utf8), "text.jpg", darkroom)
            try await enqueue(PhotoFixture.jpeg(), "nowhere.jpg", darkroom)
            try await darkroom.database.enqueue(runAfterSeconds: 3600)
            try await WatchedWorker.with(darkroom) { worker in
                let ended = #"darkroom_attempts_total{kind="ingest",outcome="#
                let answer = try await worker.wait(for: "/metrics") { answer in
                    let samples = WatchedWorker.samples(answer.body)
                    let ends = samples.filter { $0.key.hasPrefix(ended) }.values.reduce(0, +)
                    return ends == 5 && samples["darkroom_jobs_running"] == 0
                        && samples["darkroom_listener_connected"] == 1 && samples["darkroom_workers"] == 1
                }
                #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
                let samples = WatchedWorker.samples(answer.body)
                let expected: [String: Double] = [
                    #"darkroom_attempts_total{kind="ingest",outcome="succeeded"}"#: 3,
                    #"darkroom_attempts_total{kind="ingest",outcome="rejected"}"#: 2,
                    #"darkroom_rejections_total{kind="ingest",reason="not_an_image"}"#: 1,
                    #"darkroom_rejections_total{kind="ingest",reason="no_location"}"#: 1,
                    #"darkroom_jobs_claimed_total{kind="ingest"}"#: 5,
                    #"darkroom_job_wait_seconds_count{kind="ingest"}"#: 5,
                    #"darkroom_job_run_seconds_count{kind="ingest"}"#: 5,
                    #"darkroom_job_run_seconds_bucket{kind="ingest",le="+Inf"}"#: 5,
                    #"darkroom_stage_seconds_count{stage="open"}"#: 5,
                    #"darkroom_stage_seconds_count{stage="render"}"#: 5,
                    #"darkroom_stage_seconds_count{stage="locate"}"#: 4,
                    #"darkroom_stage_seconds_count{stage="publish"}"#: 3,
                    #"darkroom_queue_jobs{queue="default",kind="ingest",state="scheduled"}"#: 1,
                    // Nothing of this happened, and it is there.
                    #"darkroom_attempts_total{kind="rerender",outcome="crashed"}"#: 0,
                    #"darkroom_rejections_total{kind="ingest",reason="upload_erased"}"#: 0,
                    #"darkroom_rejections_total{kind="ingest",reason="link_refused"}"#: 0,
                    #"darkroom_rejections_total{kind="moderate",reason="post_gone"}"#: 0,
                    #"darkroom_stage_seconds_count{stage="sweep"}"#: 0,
                    #"darkroom_gazetteer_replacements_total{result="refused"}"#: 0,
                    "darkroom_worker_concurrency": 3, "darkroom_leases_lost_total": 0,
                    "darkroom_claim_failures_total": 0,
                ]
                #expect(samples.keys.contains(#"darkroom_schedule_runs_total{schedule="sweep"}"#))
                for (name, value) in expected { #expect(samples[name] == value, "\(name)") }
                #expect(try #require(samples["darkroom_claim_seconds_count"]) >= 1)
                #expect(
                    abs(
                        try #require(samples["darkroom_last_heartbeat_timestamp_seconds"])
                            - Date().timeIntervalSince1970) < 60)
                #expect(try #require(samples["process_open_fds"]) > 3)
                let check = try await promtool(
                    ["check", "metrics"], input: answer.body, fromStandardInput: true)
                #expect(check.ending == .exited(0) && check.standardError.isEmpty, "\(check.standardError)")

                let head = try await worker.request("HEAD", "/readyz")
                #expect(head.status == 200 && head.body.isEmpty)
                let missing = try await worker.get("/")
                #expect(missing.status == 404 && missing.body.contains("/metrics, /livez and /readyz"))
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }

    @Test("/readyz says that the worker is stopping while a job still runs, and /livez that it is alive")
    func stopping() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let limits = try darkroom.patientRendering()
            try await WatchedWorker.with(darkroom, "--shutdown-budget", "1h", "--rendering", limits) {
                worker in
                let first = try await enqueue(located(1), "1.jpg", darkroom)
                while try await darkroom.database.state(of: first) != .succeeded {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(try await worker.get("/readyz").status == 200)
                let renderers = try await worker.process.stopRenderers()
                let second = try await enqueue(located(2), "2.jpg", darkroom)
                while try worker.process.unnamedFiles() < 3 { try await Task.sleep(for: .milliseconds(2)) }
                worker.process.send(SIGTERM)
                let answer = try await worker.wait(for: "/readyz") { $0.status == 503 }
                #expect(answer.body.contains("taking_jobs: the worker is stopping: 1 running jobs"))
                #expect(answer.body.contains("lease: ok"))
                #expect(try await worker.get("/livez").status == 200)
                for renderer in renderers { kill(renderer, SIGCONT) }
                #expect(try await worker.process.end() == .exited(0))
                #expect(try await darkroom.database.state(of: second) == .succeeded)
            }
        }
    }

    @Test("/readyz says that the database is unreachable, and /livez that the worker still lives")
    func cutOff() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await StallingProxy.with { (proxy: StallingProxy) async throws -> Void in
                let name = try #require(
                    darkroom.database.url.split(separator: "?").first?.split(separator: "/").last)
                let url = proxy.url(database: String(name))
                try await WatchedWorker.with(darkroom, environment: ["DATABASE_URL": url]) { worker in
                    try await worker.wait(for: "/readyz") { $0.status == 200 }
                    proxy.stall()
                    let answer = try await worker.wait(for: "/readyz") { $0.status == 503 }
                    #expect(answer.body.contains("lease: cut off from the database"))
                    #expect(answer.body.contains("taking_jobs: ok"))
                    #expect(try await worker.get("/livez").status == 200)
                    #expect(try await worker.get("/metrics").status == 200)
                    proxy.resume()
                    try await worker.wait(for: "/readyz") { $0.status == 200 }
                    worker.process.send(SIGTERM)
                    #expect(try await worker.process.end() == .exited(0))
                }
            }
        }
    }

    @Test("systemd receives readiness, status, watchdog signals and stopping")
    func serviceManager() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let socket = try NotifySocket(path: darkroom.root + "/notify")
            let environment = ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "400000"]
            try await WatchedWorker.with(darkroom, "--shutdown-budget", "5s", environment: environment) {
                worker in
                func receive() async throws -> String {
                    do { return try await onThread(socket.receive) } catch {
                        Issue.record("\(error): \(worker.log)")
                        throw error
                    }
                }
                /// Watchdog signals can come in between at any time.
                func nextMessage() async throws -> String {
                    while true {
                        let message = try await receive()
                        if message != "WATCHDOG=1" { return message }
                    }
                }
                #expect(try await nextMessage() == "READY=1\nSTATUS=0 of 3 jobs running")
                #expect(try await darkroom.database.store.workers().count == 1)
                var (keptAlive, status) = (0, String?.none)
                while keptAlive < 2 || status == nil {
                    let message = try await receive()
                    if message == "WATCHDOG=1" { keptAlive += 1 } else { status = message }
                }
                #expect(status == "STATUS=0 of 3 jobs running, 0 waiting in the queue")
                worker.process.send(SIGTERM)
                let stopping = try await nextMessage()
                #expect(
                    stopping.hasPrefix("STOPPING=1\nEXTEND_TIMEOUT_USEC=20000000\nSTATUS=0 of 3 jobs running")
                )
                #expect(try await worker.process.end() == .exited(0))
                #expect(!worker.log.contains("service_manager"))
            }
        }
    }

    @Test("every log line is a JSON object, and lines about an attempt identify it")
    func log() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await enqueue(located(1), "1.jpg", darkroom)
            try await enqueue(Array("a \"quoted\" text".utf8), "text.jpg", darkroom)
            let output = try await darkroom.command(
                ["work", "--drain", "--http", "127.0.0.1:0", "--log-level", "debug"]
            ).runSuccessfully()
            let post = try await darkroom.database.pool.query("select post_id from darkroom.posts")
            let number = try post[0].decode("post_id", as: Int64.self)
            try await darkroom.database.pool.query(
                "select darkroom.report_post(post_id => \(number), reporter => 'user-9', reason => 'spam')")
            let again = try await darkroom.command(["work", "--drain"]).runSuccessfully()

            let lines = try JSONObject.lines(output.standardError + again.standardError)
            for line in lines {
                #expect(line.keys.isSuperset(of: ["time", "level", "event"]))
            }
            let attempts = lines.filter { line in
                ["job.", "post."].contains { line.string("event")?.hasPrefix($0) == true }
                    && line.string("kind") != "tally"
            }
            for line in attempts {
                #expect(
                    line.keys.isSuperset(of: ["job", "kind", "attempt", "lease", "worker", "stage"]),
                    "\(line.string("event") ?? ""): \(line.keys)")
            }
            let events = attempts.compactMap { $0.string("event") }
            #expect(Set(events) == ["job.succeeded", "job.rejected", "post.published", "post.moderated"])
            #expect(events.count { $0 == "job.succeeded" } == 2)
            let rejected = try #require(attempts.first { $0.string("event") == "job.rejected" })
            #expect(rejected.string("stage") == "render" && rejected.string("reason") == "not_an_image")
            // The lease identifies the lines of one attempt.
            let published = try #require(attempts.first { $0.string("event") == "post.published" })
            let together = attempts.filter {
                $0.string("job") == published.string("job")
                    && $0.string("lease") == published.string("lease")
            }
            #expect(together.map { $0.string("event") } == ["post.published", "job.succeeded"])
        }
    }

    @Test("the log can be text without a terminal")
    func textLog() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let output = try await darkroom.darkroom("work", "--drain", "--log-format", "text")
            #expect(output.succeeded)
            #expect(output.standardError.contains(" INFO worker.started worker="))
            #expect(!output.standardError.contains("{"))
            let wrong = try await darkroom.darkroom("work", "--log-format", "xml")
            #expect(wrong.ending == .exited(64) && wrong.standardError.contains("json"))
        }
    }

    @Test("an address where it cannot listen is reported before anything starts")
    func addresses() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let malformed = try await darkroom.darkroom("work", "--http", "9464")
            #expect(malformed.ending == .exited(64))
            #expect(
                malformed.standardError.contains("--http 9464: there is no port"),
                "\(malformed.standardError)")
            try await WatchedWorker.with(darkroom) { worker in
                let address = "127.0.0.1:\(try await worker.port())"
                try await worker.wait(for: "/readyz") { $0.status == 200 }
                let taken = try await darkroom.darkroom("work", "--drain", "--http", address)
                #expect(taken.ending == .exited(1))
                #expect(
                    taken.standardError.hasSuffix(
                        "\"event\":\"worker.cannot_run\",\"error\":\"cannot listen on \(address): another program uses that port; "
                            + "choose another port or stop it\"}\n"))
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
        }
    }
}
