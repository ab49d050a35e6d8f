import ChildProcess
import FoundationEssentials
import TestKit
import Testing

/// Runs every benchmark at about a hundredth of its size, to see that it finishes and prints its figures, whatever they
/// are. `make benchmarks` runs all of them; a quick part runs with all other tests.
///
/// Skips references that need more than the packages of docker/packages.txt; the output must say so.
@Suite("Every benchmark, small", .timeLimit(.minutes(15)))
struct BenchmarkSmokeTests {
    /// The figures that `bench queue` prints by part, each with the reference next to it.
    private static let queueFigures: [(part: String, figures: [String: String?])] = [
        (
            "drain",
            [
                "drain": "drain-batch", "drain-batch-100": "drain-batch", "drain-against-pgqueuer": nil,
                "drain-wal": nil, "drain-transactions": nil,
            ]
        ),
        ("unbatched", ["drain-unbatched-1": "drain-single", "drain-unbatched-4": "drain-single"]),
        ("enqueue", ["enqueue": "enqueue-insert"]),
        ("idle", ["enqueue-next-to-idle": "no worker"]),
        ("bulk", ["enqueue-bulk": "enqueue-copy", "enqueue-bulk-1000-keys": "enqueue-copy"]),
        ("pickup", ["pickup-p50": "target of 0.8 ms", "pickup-p99": "target of 3 ms"]),
        ("promotion", ["promotion-p50": "target of 50 ms", "promotion-p99": "target of 50 ms"]),
        ("history", ["drain-with-history": "empty history"]),
        ("backlog", ["drain-with-backlog": "no backlog"]),
        ("snapshot", ["held-snapshot-curve-1": nil, "held-snapshot-kept": "no loss"]),
        (
            "workers",
            [
                "drain-1-processes": nil, "drain-2-processes": nil, "drain-4-processes": nil,
                "drain-8-processes": nil, "drain-16-processes": "the best of 1 to 16",
            ]
        ),
        ("fairness", ["fairness": "two claim batches"]),
        ("limits", ["drain-with-limits": "no limits"]),
    ]

    @Test("of the queue", arguments: Extent.of(["drain"], check: queueFigures.map(\.part)))
    func queue(part: String) async throws {
        let figures = try #require(Self.queueFigures.first { $0.part == part }).figures
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "queue", "--only", part, "--scale", "0.01", "--without", "pgqueuer", "--runs", "1")
            try run.check(figures)
            let notes = [
                "drain": "2000 jobs", "unbatched": "", "enqueue": "", "pickup": "20 jobs",
                "promotion": "20 jobs",
                "history": "100000 finished", "backlog": "of 20000", "fairness": "backlog of 10000",
            ]
            #expect(run.notes.contains(notes[part] ?? ""), "\(run.notes)")
            if part == "drain" { #expect(run.notes.contains("pgqueuer was skipped"), "\(run.notes)") }
        }
    }

    @Test("knows every part of the queue benchmark")
    func parts() async throws {
        let help = try await ChildProgram(
            Checkout.programs + "/darkroom-dev", ["bench", "queue", "--help"]
        )
        .runSuccessfully().standardOutput
        let listed = try #require(help.split(separator: "measure only these: ").last)
        let words = listed.prefix { $0 != "(" }.split { $0 == "," || $0.isWhitespace }.map(String.init)
        #expect(Set(words) == Set(Self.queueFigures.map(\.part)))
    }

    @Test("of the feeds", .enabled(if: Extent.isCheck, "make benchmarks runs it"))
    func feeds() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "feeds", "--scale", "0.01", "--without", "postgis", "--runs", "1")
            let feeds = [
                "six-nearest", "within-100-m", "near-and-good-5-km", "within-5-km-newest", "latest-100",
                "latest-100-of-a-viewer",
                "album", "album-of-a-country", "board-wilson", "board-of-a-place", "board-of-a-country",
                "board-of-a-place-and-month", "board-of-a-day",
                "board-of-a-category-and-week", "board-within-3-km", "map-zoom-18", "map-zoom-14",
                "map-zoom-10", "map-zoom-5", "map-zoom-2", "photos-zoom-13", "cluster-of-level-6",
                "cluster-of-level-12", "cluster-of-level-20", "nearest-of-winter", "latest-winter-nights",
                "latest-of-a-category-and-place", "latest-taken-in-a-day", "within-5-km-of-an-uploader",
                "board-of-a-category-within-3-km",
                "near-and-good-of-an-activity", "map-of-an-activity", "may-show",
            ]
            let alone =
                feeds + [
                    "six-nearest-equal", "near-and-good-5-km-equal", "tally-of-votes", "votes-lost",
                    "tally-of-the-map", "mixed-publish", "mixed-vote", "mixed-nearest", "mixed-near-and-good",
                    "mixed-board", "mixed-map", "mixed-tally", "map-zoom-10-with-100-blocks",
                    "map-zoom-2-with-100-blocks", "photos-zoom-13-with-100-blocks",
                ]
            var beside = [
                "votes-on-one-post": "on a thousand posts", "reports-on-one-post": "on a thousand posts",
                "publish": "10,000 posts",
            ]
            // Maps have nothing beside them: what they take longer does not grow with them.
            let lists = [
                "six-nearest", "near-and-good-5-km", "within-5-km-newest", "latest-100", "board-wilson",
                "cluster-of-level-12",
            ].map { $0 + "-with-100-blocks" }
            for list in lists { for part in ["-p50", "-p99"] { beside[list + part] = "without blocks" } }
            try run.check(
                Dictionary(uniqueKeysWithValues: (alone + lists).map { ($0, String?.none) })
                    .merging(beside.mapValues(Optional.some)) { one, _ in one },
                mayBeNothing: ["votes-lost"])
            for name in ["six-nearest-equal", "near-and-good-5-km-equal"] {
                #expect(run.value(name) == 1, "the feed differs from a search of all posts")
            }
            #expect(run.value("votes-lost") == 0)
            #expect(run.notes.contains("10000 posts"), "\(run.notes)")
            #expect(run.progress.contains("postgis: skipped"))
        }
    }

    @Test(
        "of a standby, next to the writing server alone",
        .enabled(if: Extent.isCheck, "make benchmarks runs it"))
    func replicas() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "replicas", "--scale", "0.01", "--runs", "1", "--scratch", "/tmp")
            let lines = ["feeds", "feeds-per-cpu", "writer-cpu"].flatMap {
                [("\($0)-no-reader", String?.none), ("\($0)-reader", String?.some("no reader"))]
            }
            try run.check(Dictionary(uniqueKeysWithValues: lines))
            #expect(run.notes.contains("10000 posts, 8 feeds at once"), "\(run.notes)")
            // The standby was asked, and the writing server only wrote.
            let reading = try #require(run.value("writer-cpu-no-reader"))
            #expect(try #require(run.value("writer-cpu-reader")) < reading / 2)
        }
    }

    @Test(
        "of the HTTP API, next to the database, nginx and plain files",
        .enabled(if: Extent.isCheck, "make benchmarks runs it"))
    func serve() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "serve", "--scale", "0.01", "--without", "fastapi", "--runs", "1", "--scratch",
                "/tmp")
            try run.check(
                [
                    "serve-nearest": "pgbench", "serve-clusters": "pgbench", "serve-post": "pgbench",
                    "serve-vote": "pgbench", "serve-upload": "nginx",
                    "serve-upload-over-plain-files": "plain files",
                    "serve-streams-memory": nil, "serve-streams-cpu": nil,
                ], mayBeNothing: ["serve-streams-cpu"])
            #expect(run.notes.contains("8 connections") && run.notes.contains("100 streams"), "\(run.notes)")
            #expect(run.progress.contains("fastapi: skipped"))
        }
    }

    @Test("of the gazetteer")
    func gazetteer() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let references = [
                "reverse-geocoder", "reverse-geocoder-single", "reverse-geocode", "reverse-geocode-single",
                "postgis",
            ]
            let run = try await BenchmarkRun(
                darkroom,
                ["gazetteer", "--scale", "0.01", "--check", "1000", "--runs", "1"]
                    + references.flatMap { ["--without", $0] })
            try run.check(
                [
                    "gazetteer-private-memory": "goal", "gazetteer-opening": "goal",
                    "gazetteer-index": "goal",
                    "gazetteer-reverse": "goal", "gazetteer-reverse-texts": nil, "gazetteer-reverse-p50": nil,
                    "gazetteer-reverse-p99": "goal", "gazetteer-forward-p99": "goal",
                    "gazetteer-disagreements": nil,
                ], mayBeNothing: ["gazetteer-disagreements"])
            #expect(run.value("gazetteer-disagreements") == 0)
            #expect(run.notes.contains("10000 points") && run.notes.contains("of 1000,"), "\(run.notes)")
            for name in references { #expect(run.progress.contains("\(name): skipped"), "\(name)") }
        }
    }

    @Test("of the look-up of known photos, next to a comparison with all of them")
    func hashes() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(darkroom, "hashes", "--scale", "0.01", "--runs", "1")
            try run.check(["listed-hash": "every hash", "unlisted-hash": "every hash"])
            #expect(run.notes.contains("10000 hashes, 10 look-ups"), "\(run.notes)")
        }
    }

    @Test(
        "of the renderer, next to the plain program, and of its memory",
        .enabled(if: Extent.isCheck, "make benchmarks runs it"))
    func render() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let photos = try Self.photos(3, in: darkroom)
            let run = try await BenchmarkRun(
                darkroom, "render", photos, "--without", "vipsthumbnail", "--processes", "2", "--runs", "1")
            let stages = run.names.filter { $0.hasPrefix("render-cpu-") }
            #expect(stages.count >= 3, "\(run.names)")
            try run.check(
                [
                    "render": "plain", "render-cpu": "plain", "render-isolation": "pool",
                    "render-isolation-cpu": "pool", "render-peak-memory": nil,
                ].merging(
                    stages.map { ($0, nil) }
                ) { one, _ in one }, mayBeNothing: Set(stages))
            #expect(run.notes.contains("3 photos, 2 renderers"), "\(run.notes)")
            #expect(run.notes.contains("vipsthumbnail was skipped"), "\(run.notes)")

            let small = try Self.photos(3, 640, in: darkroom)
            let soak = try await BenchmarkRun(darkroom, "render", small, "--soak", "100")
            let memory = (1...20).map { "soak-memory-\($0 * 5)" }
            try soak.check(
                Dictionary(
                    uniqueKeysWithValues: (memory + ["soak", "soak-peak-memory", "soak-growth"]).map {
                        ($0, String?.none)
                    }), mayBeNothing: ["soak-growth"])
        }
    }

    @Test("of the renditions' quality", .enabled(if: Extent.isCheck, "make benchmarks runs it"))
    func quality() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let run = try await BenchmarkRun(
                darkroom, "render", "--quality", "--full", try Self.photos(1, in: darkroom))
            let ssim = run.names.filter { $0.contains("-ssim-") }
            let difference = run.names.filter { $0.contains("-de2000-") }
            // Three renditions, at quality 100 and at the usual quality.
            #expect(ssim.count == 12 && difference.count == 12, "\(run.names)")
            for name in ssim {
                let value = try #require(run.value(name))
                #expect(value > 0.5 && value <= 1, "\(name) \(value)")
            }
            for name in difference { #expect(try #require(run.value(name)) >= 0, "\(name)") }
        }
    }

    @Test("of feeds near the borders of cells")
    func cells() async throws {
        try await withTemporaryDirectory { (directory: String) async throws -> Void in
            // Two towns that are 100 km apart, and a place where nobody lives: the border is in the middle.
            let table = [(1, 0, 1000), (2, 0.9, 1000), (3, 50.0, 0)].map { number, longitude, people in
                "\(number)\ta\ta\t\t0\t\(longitude)\t\t\t\t\t\t\t\t\t\(people)\n"
            }.joined()
            try table.write(toFile: "\(directory)/cities.txt", atomically: false, encoding: .utf8)
            let output = try await ChildProgram(
                "/usr/bin/python3",
                [
                    Checkout.root + "/Benchmarks/cells/simulate.py", "\(directory)/cities.txt",
                    "--cells", "1", "2", "--radius", "49", "51", "--spread", "0", "--feeds", "50",
                ]
            ).runSuccessfully()
            #expect(
                output.standardOutput == """
                    1 cells, 49 km: 0.00% ask several; mean 1.0000, most 1
                    1 cells, 51 km: 0.00% ask several; mean 1.0000, most 1
                    2 cells, 49 km: 0.00% ask several; mean 1.0000, most 1
                    2 cells, 51 km: 100.00% ask several; mean 2.0000, most 2

                    """)
        }
    }

    @Test("lists the references when one is unknown")
    func unknownReference() async throws {
        let output = try await ChildProgram(
            Checkout.programs + "/darkroom-dev", ["bench", "render", "/tmp", "--without", "plan"]
        ).run()
        #expect(output.ending == .exited(64))
        #expect(output.standardError.contains("the references are plain, vipsthumbnail"))
    }

    /// A folder with as many different photos, by default larger than their renditions.
    static func photos(
        _ count: Int, _ width: Int = 2400, in darkroom: Installation
    ) throws -> String {
        let folder = "photos-\(width)"
        try FileManager.default.createDirectory(
            atPath: "\(darkroom.root)/\(folder)", withIntermediateDirectories: true)
        for number in 0..<count {
            let photo = PhotoFixture.jpeg(width: width, height: width * 3 / 4, seed: number)
            _ = try darkroom.write(photo, to: "\(folder)/\(number).jpg")
        }
        return "\(darkroom.root)/\(folder)"
    }
}
