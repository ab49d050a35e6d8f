import Postgres
import TestKit
import Testing
import Threads

extension BenchmarkSmokeTests {
    @Test("of the whole worker, next to its renderers")
    func ingest() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "ingest", try Self.photos(3, in: darkroom), "--renderers", "1", "--scratch",
                darkroom.root, "--runs", "1")
            let stages = run.names.filter { $0.hasPrefix("ingest-stage-") }
            #expect(stages.count >= 4 && stages.contains("ingest-stage-render"), "\(run.names)")
            try run.check(
                ["ingest": "render alone"].merging(stages.map { ($0, nil) }) { one, _ in one },
                mayBeNothing: Set(stages))
            #expect(run.notes.contains("3 photos, 1 renderers, every one published"), "\(run.notes)")
        }
    }

    @Test(
        "of the whole worker with a bucket, next to one with a directory", .realStore,
        .enabled(if: Extent.isCheck, "make benchmarks runs it"))
    func bucket() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let bucket = try await TestBucket.make()
            let run = try await BenchmarkRun(
                darkroom, "ingest", try Self.photos(3, in: darkroom), "--renderers", "1",
                "--concurrency", "4", "--scratch", darkroom.root, "--runs", "1",
                "--bucket", bucket.location(prefix: "bench"))
            let stages = run.names.filter { $0.hasPrefix("ingest-bucket-stage-") }
            try run.check(
                [
                    "ingest-bucket": "directory", "ingest-bucket-cpu": "directory",
                    "ingest-bucket-requests": nil, "ingest-bucket-sent": nil, "ingest-bucket-received": nil,
                ].merging(stages.map { ($0, nil) }) { one, _ in one }, mayBeNothing: Set(stages))
            // The photo, and three pictures.
            #expect(run.value("ingest-bucket-requests") == 7, "\(run.notes)")
            #expect(try await bucket.keys().isEmpty, "what was put is removed")
        }
    }

    @Test(
        "of the whole worker with a bucket on its machine, whose server has other cores meanwhile",
        .realStore,
        .enabled(if: Extent.isCheck && UsableCores.count > 1, "make benchmarks runs it on two cores"))
    func bucketHere() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "ingest", try Self.photos(3, in: darkroom), "--scratch", darkroom.root, "--runs",
                "1",
                "--bucket", "here")
            #expect(run.names.contains("ingest-bucket-server-cpu"), "\(run.names)")
            #expect(run.notes.contains("3 photos, 1 renderers, every one published"), "\(run.notes)")
            let backend = try await darkroom.database.pool.query("select pg_backend_pid() as pid")[0]
                .decode("pid", as: Int.self)
            #expect(UsableCores.allowed(to: String(backend)) == UsableCores.allowed())
        }
    }
}
