import ChildProcess
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Kills real processes.
@Suite("Killed processes", .timeLimit(.minutes(15)))
struct DeathTests {
    /// A worker whose renderer is stopped in the middle of a job.
    private func inTheMiddleOfAJob(
        _ darkroom: Installation, _ body: (WorkerProcess, _ renderers: [Int32], JobID) async throws -> Void
    ) async throws {
        let worker = try WorkerProcess(
            darkroom, "--shutdown-budget", "500ms", "--rendering", try darkroom.patientRendering())
        do {
            // Process a first photo, so that the renderer is known to run.
            let warm = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: 1), to: "1.jpg")
            let first = try #require(try await darkroom.json("enqueue", warm).first?.number("job_id"))
            try await wait(for: JobID(rawValue: Int64(first)), toBe: .succeeded, darkroom)
            let renderers = try await worker.stopRenderers()
            let photo = try darkroom.write(
                PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: 2), to: "2.jpg")
            let number = try #require(try await darkroom.json("enqueue", photo).first?.number("job_id"))
            let job = JobID(rawValue: Int64(number))
            try await wait(for: job, toBe: .running, darkroom)
            while try worker.unnamedFiles() < 3 { try await Task.sleep(for: .milliseconds(2)) }
            try await body(worker, renderers, job)
        } catch {
            worker.send(SIGKILL)
            throw error
        }
    }

    private func wait(for job: JobID, toBe state: JobState, _ darkroom: Installation) async throws {
        while try await darkroom.database.state(of: job) != state {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func expectPublishedOnce(_ job: JobID, _ darkroom: Installation) async throws {
        let upload = try #require(try await darkroom.database.store.job(job)).subject
        let posts = try await darkroom.database.pool.query(
            "select post_id from darkroom.posts where upload_id = \(upload)")
        #expect(posts.count == 1)
        let events = try await darkroom.database.pool.query(
            """
            select from (select post_id from darkroom.outbox union all select post_id from darkroom.event_log) e
            where post_id = \(try posts[0].decode("post_id", as: Int64.self))
            """)
        #expect(events.count == 1)
        #expect(try filesBelow(darkroom.media).allSatisfy { !$0.contains("unfinished") })
    }

    @Test("after a worker is killed during a job, another publishes the post, once")
    func worker() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await inTheMiddleOfAJob(darkroom) { worker, renderers, job in
                worker.send(SIGKILL)
                #expect(try await worker.end() == .killed(signal: SIGKILL))
                while renderers.contains(where: isAlive) { try await Task.sleep(for: .milliseconds(5)) }
                let other = try WorkerProcess(darkroom)
                try await wait(for: job, toBe: .succeeded, darkroom)
                other.send(SIGTERM)
                #expect(try await other.end() == .exited(0))
                let attempts = try await darkroom.database.store.attempts(of: job)
                #expect(attempts.map(\.outcome) == ["crashed", "succeeded"])
                #expect(attempts.first?.reason?.code == "worker_died")
                try await expectPublishedOnce(job, darkroom)
            }
        }
    }

    @Test("after a renderer is killed during a photo, the worker lives and publishes the post, once")
    func renderer() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            var crashes = 0
            // If the renderer dies just before it gets the photo, it is replaced and the photo counts no crash. Then try
            // another photo.
            while crashes == 0 {
                try await inTheMiddleOfAJob(darkroom) { worker, renderers, job in
                    for renderer in renderers { kill(renderer, SIGKILL) }
                    try await wait(for: job, toBe: .succeeded, darkroom)
                    worker.send(SIGTERM)
                    #expect(try await worker.end() == .exited(0))
                    let attempts = try await darkroom.database.store.attempts(of: job)
                    #expect(attempts.last?.outcome == "succeeded")
                    #expect(Set(attempts.map(\.worker)).count == 1)
                    for attempt in attempts.dropLast() {
                        #expect(
                            attempt.outcome == "crashed" && attempt.reason?.code == "renderer_killed",
                            "\(attempt)")
                        crashes += 1
                    }
                    try await expectPublishedOnce(job, darkroom)
                }
            }
        }
    }

    @Test(
        "a worker told to stop, also by the end of its terminal, returns jobs that it cannot finish within its budget",
        arguments: [SIGTERM, SIGHUP])
    func stopped(signal: Int32) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await inTheMiddleOfAJob(darkroom) { worker, _, job in
                worker.send(signal)
                #expect(try await worker.end() == .exited(0))
                #expect(try await darkroom.database.state(of: job) == .waiting)
                let record = try #require(try await darkroom.database.store.job(job))
                #expect(record.failures == 0 && record.crashes == 0)
                try await darkroom.drain()
                try await expectPublishedOnce(job, darkroom)
            }
        }
    }
}
