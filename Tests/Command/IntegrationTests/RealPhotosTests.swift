import ChildProcess
import FoundationEssentials
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// Photographs that are not part of a clone: `DARKROOM_TEST_DATA`, else `../shared/data`.
private let photos: String? = {
    let folder = Checkout.sharedData + "/photos"
    return FileManager.default.fileExists(atPath: folder) ? folder : nil
}()

@Suite(
    "Real photographs",
    .enabled(if: photos != nil, "there is no folder of test photographs: set DARKROOM_TEST_DATA to one"),
    .timeLimit(.minutes(15)))
struct RealPhotosTests {
    /// Every format, and the metadata that none of them keeps by default.
    private static let recipe = """
        {"recipe": {"name": "every format", "version": 1, "renditions": [
            {"name": "large", "fit": 1080}, {"name": "webp", "fit": 400, "format": "webp", "animated": "keep"},
            {"name": "avif", "fit": 400, "format": "avif"}
        ]}, "keep_camera": true}
        """

    @Test("all pass the queue, and exiftool finds no metadata in any rendition")
    func all() async throws {
        let folder = try #require(photos)
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let files = try filesBelow(folder).sorted().map { "\(folder)/\($0)" }.every(6)
            let enqueue = darkroom.command(["enqueue", "--lat", "47.6", "--lon", "-122.3", "--json"] + files)
            let jobs = try JSONObject.lines(try await enqueue.runSuccessfully().standardOutput)
            #expect(jobs.count == files.count)
            let rendering = darkroom.media + "/../rendering.json"
            try Self.recipe.write(toFile: rendering, atomically: true, encoding: .utf8)
            try await darkroom.command(["work", "--drain", "--rendering", rendering]).runSuccessfully()

            let records = try await darkroom.database.jobs()
            let rejected = records.filter { $0.state == .rejected }
            let published = records.filter { $0.state == .succeeded }
            #expect(published.count + rejected.count == files.count, "nothing failed, nothing is left")
            #expect(rejected.allSatisfy { ["unsupported_format", "truncated"].contains($0.reason?.code) })
            // A subsampled TIFF, and a JPEG without any scan data.
            #expect(!Extent.isCheck || rejected.count == 2)
            #expect(try await darkroom.json("posts", "list", "--limit", "1000").count == published.count)

            let exiftool = try #require(ChildProgram.find("exiftool"))
            let output = try await ChildProgram(
                exiftool,
                [
                    "-q", "-r", "-a", "-u", "-G1", "-s", "-x", "System:all", "-x", "File:all", "-x",
                    "ExifTool:all",
                    "-x", "JFIF:all", "-x", "Composite:all", "-x", "RIFF:all", "-x", "QuickTime:all",
                    darkroom.media + "/renditions",
                ]
            ).runSuccessfully().standardOutput
            let kept = try await darkroom.database.pool.query(
                """
                select format, count(*) as posts, count(distinct media_key) as files
                from darkroom.renditions group by format order by format
                """)
            #expect(try kept.map { try $0.decode("format", as: String.self) } == ["avif", "jpeg", "webp"])
            #expect(
                try kept.map { try $0.decode("posts", as: Int.self) }.allSatisfy { $0 == published.count })
            let named = try kept.reduce(0) { try $0 + $1.decode("files", as: Int.self) }
            #expect(try filesBelow(darkroom.media + "/renditions").count == named)
            let left = output.split(separator: "\n").filter { $0.hasPrefix("[") }
            #expect(left.isEmpty, "\(left.prefix(5))")
        }
    }
}
