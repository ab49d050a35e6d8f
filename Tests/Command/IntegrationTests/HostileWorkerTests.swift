import ChildProcess
import FoundationEssentials
import Glibc
import Imaging
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Hostile files that are not part of a clone: `DARKROOM_TEST_DATA`, else `../shared/data`.
private let hostileFolder: String? = {
    let root = Checkout.sharedData
    return FileManager.default.fileExists(atPath: root + "/hostile.tsv") ? root : nil
}()

@Suite("A worker processes hostile files", .timeLimit(.minutes(15)))
struct HostileWorkerTests {
    @Test("made by code, including one that kills its renderer; the good photo is published")
    func fixtures() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photo = PhotoFixture.jpeg()
            let script = Array("<?php echo 'CANARY'; ?><script>".utf8)
            let files: [(name: String, bytes: [UInt8], end: String)] = [
                ("empty", PhotoFixture.empty, "empty_file"),
                ("text", PhotoFixture.text, "not_an_image"),
                ("svg", PhotoFixture.svg, "unsupported_format"),
                ("cut", PhotoFixture.truncated(photo, to: 0.6), "truncated"),
                ("head", PhotoFixture.truncated(photo, to: 0.05), "truncated"),
                ("bomb", PhotoFixture.jpeg(claimingWidth: 20_000, height: 20_000), "too_many_pixels"),
                ("needle", PhotoFixture.jpeg(claimingWidth: 60_000, height: 20), "too_elongated"),
                (
                    "garbage",
                    [0xFF, 0xD8, 0xFF] + PhotoFixture.noise(width: 100, height: 80).dropFirst(2000),
                    "truncated"
                ),
                ("flat", PhotoFixture.jpeg(claimingWidth: 0, height: 20), "corrupt"),
                ("polyglot", PhotoFixture.jpeg(trailing: script, seed: 1), "published"),
                ("comment", PhotoFixture.jpeg(comment: "CANARY <script>", seed: 2), "published"),
                ("killer", PhotoFixture.noise(width: 900, height: 700), "poison"),
                ("good", PhotoFixture.jpeg(seed: 3), "published"),
            ]
            var paths: [String] = []
            for file in files { paths.append(try darkroom.write(file.bytes, to: "\(file.name).jpg")) }
            // The killer's renditions are larger than this, so it kills its renderer each time.
            let limits = try darkroom.write(
                Array(
                    #"{"limits": {"output_megabytes": 0.1, "idle_seconds": 3600, "wall_clock_seconds": 290}}"#
                        .utf8),
                to: "rendering.json")

            let run = try await work(through: paths, darkroom, ["--rendering", limits])
            try #require(run.jobs.count == files.count)
            for (file, job) in zip(files, run.jobs) {
                #expect(job.end == file.end, "\(file.name): \(job.attempts.map(\.outcome))")
                #expect(
                    job.attempts.map(\.outcome).dropLast()
                        == (file.name == "killer" ? ["crashed", "crashed"] : []),
                    "\(file.name)")
            }
            // The zygote survives what becomes of its renderers.
            #expect(run.rendererStarts == 1, "started \(run.rendererStarts) times")
            let pictures = try filesBelow(darkroom.media + "/renditions")
            // The large and medium renditions of such a small photo are the same file.
            #expect(pictures.count == 6)
            for picture in pictures {
                let bytes = try #require(
                    FileManager.default.contents(atPath: "\(darkroom.media)/renditions/\(picture)"))
                let text = String(decoding: bytes, as: Unicode.ASCII.self)
                #expect(!text.contains("CANARY") && !text.contains("<script") && !text.contains("<?php"))
            }
        }
    }

    @Test(
        "from the shared data get the verdicts that the manifest expects; the good photo is published",
        .enabled(
            if: hostileFolder != nil, "there are no hostile files: set DARKROOM_TEST_DATA to their folder"))
    func manifest() async throws {
        let root = try #require(hostileFolder)
        let all = try manifestRows(root + "/hostile.tsv")
        try #require(all.count == 908)
        let rows = all.every(8)
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let good = try darkroom.write(PhotoFixture.jpeg(), to: "good.jpg")
            // What a photo costs is limited by its CPU time: on a busy machine that may take any time.
            let limits = try darkroom.patientRendering()
            let run = try await work(
                through: rows.map { "\(root)/hostile/\($0.file)" } + [good], darkroom,
                ["--concurrency", "4", "--renderers", "2", "--rendering", limits])
            try #require(run.jobs.count == rows.count + 1)
            #expect(run.jobs.last?.end == "published")
            let codes = Set(PhotoRejection.Code.allCases.map(\.rawValue))
            for (row, job) in zip(rows, run.jobs) {
                let isPublished = job.end == "published"
                #expect(isPublished || codes.contains(job.end), "\(row.file): \(job.end), \(job.message)")
                #expect(isPublished || !job.message.isEmpty, "\(row.file)")
                #expect(row.expected != "accept" || isPublished, "\(row.file): \(job.end), \(row.why)")
                #expect(row.expected != "reject" || !isPublished, "\(row.file): \(row.why)")
                #expect(job.attempts.count == 1, "\(row.file): \(job.attempts.map(\.outcome))")
            }
            let longest = try #require(
                run.jobs.flatMap(\.attempts).map { $0.endedAt.timeIntervalSince($0.startedAt) }.max())
            let starts = run.rendererStarts
            print(
                "\(run.jobs.count) files: \(run.jobs.count { $0.end == "published" }) published, "
                    + "\(starts) zygotes, the longest attempt took \(Int(longest * 1000)) ms")
            #expect(starts <= 2)
        }
    }

    // MARK: - One run

    private struct Ended {
        /// `published`, or the code of the reason.
        let end: String
        let message: String
        let attempts: [AttemptRecord]
    }

    private struct Run {
        /// In the order of the files.
        let jobs: [Ended]
        let rendererStarts: Int
    }

    /// Enqueues the files and drains them with one worker, which must succeed.
    private func work(through paths: [String], _ darkroom: Installation, _ options: [String]) async throws
        -> Run
    {
        let enqueue = darkroom.command(["enqueue", "--lat", "47.6", "--lon", "-122.3", "--json"] + paths)
        let ids = try JSONObject.lines(try await enqueue.runSuccessfully().standardOutput).map {
            JobID(rawValue: Int64(try #require($0.number("job_id"))))
        }
        let starts = darkroom.root + "/starts"
        let renderer = try darkroom.write(
            Array(
                """
                #!/bin/sh
                echo >> '\(starts)'
                exec '\(Checkout.programs)/darkroom-renderer' "$@"

                """.utf8), to: "renderer")
        #expect(chmod(renderer, 0o700) == 0)
        var worker = darkroom.command(["work", "--drain", "--log-level", "error"] + options)
        if !options.contains("--concurrency") { worker.arguments += ["--concurrency", "1"] }
        worker.environment["DARKROOM_RENDERER"] = renderer
        try await worker.runSuccessfully()

        let attempts = try await darkroom.database.store.attempts(of: ids)
        var jobs: [Ended] = []
        for id in ids {
            jobs.append(try await ended(id, attempts[id] ?? [], darkroom))
        }
        #expect(try await darkroom.database.pool.query("select from darkroom.jobs").isEmpty)
        let count = FileManager.default.contents(atPath: starts)?.count ?? 0
        return Run(jobs: jobs, rendererStarts: count)
    }

    /// How a job ended. Checks that it ended once, and that it has a post only if it was published.
    private func ended(
        _ id: JobID, _ attempts: [AttemptRecord], _ darkroom: Installation
    ) async throws -> Ended {
        let rows = try await darkroom.database.pool.query(
            """
            select f.state::text as state, f.reason, coalesce(f.message, '') as message,
                   (select count(*) from darkroom.posts p where p.upload_id = f.subject_id) as posts
            from darkroom.finished_jobs f where f.job_id = \(id.rawValue)
            """)
        try #require(rows.count == 1, "job \(id) has \(rows.count) ends")
        let state = try rows[0].decode("state", as: String.self)
        let reason = try rows[0].decode("reason", as: String?.self)
        let isPublished = state == "succeeded"
        #expect(try rows[0].decode("posts", as: Int.self) == (isPublished ? 1 : 0), "job \(id)")
        #expect(attempts.last?.outcome == state, "job \(id)")
        #expect(["succeeded", "rejected"].contains(state) || reason == "poison", "job \(id) is \(state)")
        return Ended(
            end: isPublished ? "published" : reason ?? "no reason",
            message: try rows[0].decode("message", as: String.self), attempts: attempts)
    }

    private func manifestRows(_ path: String) throws -> [(file: String, expected: String, why: String)] {
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        let lines = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let header = try #require(lines.first)
        let columns = try ["file", "expected", "why"].map { try #require(header.firstIndex(of: $0)) }
        return lines.dropFirst().map { ($0[columns[0]], $0[columns[1]], $0[columns[2]]) }
    }
}
