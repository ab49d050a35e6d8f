import ChildProcess
import Digests
import FoundationEssentials
import Glibc
import Ingestion
import JobStore
import MediaStore
import Postgres
import TestKit
import Testing

@Suite("darkroom sweep --verify", .timeLimit(.minutes(15)))
struct VerifyCommandTests {
    private struct Picture {
        let post: Int64
        let path: String
        let sha256: String
    }

    /// A picture of each post, and how to find it. Different photos, so that no two posts share a file.
    private static func publish(
        _ count: Int, from first: Int = 1, in darkroom: Installation
    ) async throws -> [Picture] {
        for number in first..<first + count {
            let photo = PhotoFixture.jpeg(latitude: 47.6, longitude: -122.3, seed: number)
            _ = try await darkroom.json("enqueue", try darkroom.write(photo, to: "p\(number).jpg"))
        }
        try await darkroom.drain()
        return try await pictures(darkroom)
    }

    private static func pictures(_ darkroom: Installation) async throws -> [Picture] {
        let rows = try await darkroom.database.pool.query(
            """
            select post_id, media_key, encode(sha256, 'hex') as sha256 from darkroom.renditions
            where name = 'square' order by post_id
            """)
        return try rows.map { row in
            Picture(
                post: try row.decode("post_id", as: Int64.self),
                path: "\(darkroom.media)/\(try row.decode("media_key", as: String.self))",
                sha256: try row.decode("sha256", as: String.self))
        }
    }

    private static func isSound(_ picture: Picture) -> Bool {
        guard let data = FileManager.default.contents(atPath: picture.path) else { return false }
        return SHA256Digest(hashing: data).hex == picture.sha256
    }

    private static func rerenders(_ darkroom: Installation) async throws -> Int {
        try await darkroom.database.jobs().count { $0.kind == .rerender }
    }

    @Test("has workers render again what is damaged or missing, and lists what nobody can render")
    func repairs() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pool = darkroom.database.pool
            let count = FileDamage.allCases.count
            let before = try await Self.publish(count + 3, in: darkroom)
            #expect(before.count == count + 3)
            // Two originals will be wrong. A worker that sees both among eight takes the store for broken, and waits.
            _ = try await Self.publish(40, from: count + 4, in: darkroom)
            let backup = try before.map { try Data(contentsOf: URL(filePath: $0.path)) }
            for (damage, picture) in zip(FileDamage.allCases, before) { try damage.happen(to: picture.path) }
            // The picture is sound and the original is not; both are damaged; the original was erased.
            let originals = try await pool.query(
                """
                select original_key from darkroom.uploads u join darkroom.posts using (upload_id)
                where post_id = any (\(before[count...].map(\.post))::bigint[]) order by post_id
                """
            ).map { "\(darkroom.media)/\(try $0.decode("original_key", as: String.self))" }
            try FileDamage.middleByte.happen(to: originals[0])
            try FileDamage.empty.happen(to: originals[1])
            try FileDamage.missing.happen(to: originals[2])
            try await pool.query(
                """
                update darkroom.uploads u set original_erased_at = now() from darkroom.posts p
                where p.upload_id = u.upload_id and p.post_id = \(before[count + 2].post)
                """)
            try FileDamage.lastByte.happen(to: before[count + 1].path)
            try FileDamage.lastByte.happen(to: before[count + 2].path)

            let dry = try await darkroom.darkroom("sweep", "--verify", "--dry-run", "--json")
            #expect(dry.ending == .exited(1))
            let listed = try JSONObject.lines(dry.standardOutput)
            #expect(listed.filter { $0.string("finding") == "damaged" }.count == count - 1 + 4)
            #expect(listed.filter { $0.string("finding") == "missing" }.count == 1)
            #expect(listed.last?.isNull("rerendered") == true)
            #expect(try await Self.rerenders(darkroom) == 0)

            let worker = try WorkerProcess(darkroom)
            let output = try await darkroom.darkroom("sweep", "--verify", "--rate", "1000", "--json")
            #expect(output.ending == .exited(1), "\(output.standardError)")
            let lines = try JSONObject.lines(output.standardOutput)
            let total = try #require(lines.last)
            #expect(total.number("damaged") == Double(count - 1 + 4) && total.number("missing") == 1)
            #expect(total.number("rerendered") == Double(count + 2) && total.number("left") == 2)
            #expect(total.bool("complete") == true)
            let left = lines.filter { $0.string("finding") == "left" }
            #expect(
                left.map { $0.string("referrer") } == [
                    "rendition square of post \(before[count + 1].post)",
                    "rendition square of post \(before[count + 2].post)",
                ])
            #expect(left.first?.string("message")?.contains("jobs list --kind rerender") == true)
            #expect(left.last?.string("message")?.contains("its original was erased") == true)
            let after = try await Self.pictures(darkroom).prefix(before.count)
            for (index, picture) in after.enumerated() {
                #expect(Self.isSound(picture) == (index < count + 1), "\(index)")
                #expect(picture.sha256 == before[index].sha256, "the same renderer makes the same bytes")
            }

            // What is left comes from a backup; storing the same photo again mends its original.
            for (picture, bytes) in zip(before, backup).suffix(2) {
                try bytes.write(to: URL(filePath: picture.path))
            }
            for number in count + 1...count + 3 {
                _ = try await darkroom.json("enqueue", "\(darkroom.root)/p\(number).jpg")
            }
            let second = try await darkroom.darkroom("sweep", "--verify", "--json")
            #expect(second.ending == .exited(0), "\(second.standardOutput)")
            #expect(try JSONObject.lines(second.standardOutput).count == 1)
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
        }
    }

    @Test("can be stopped at any time: the jobs that were enqueued go on, and the next run does the rest")
    func interrupted() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let pictures = try await Self.publish(6, in: darkroom)
            for picture in pictures { try FileDamage.middleByte.happen(to: picture.path) }
            // Nobody renders: with a window of two it waits before the third post.
            let process = try OperatorProcess(
                darkroom, "sweep", "--verify", "--rate", "1000", "--window", "2")
            try await until { try await Self.rerenders(darkroom) == 2 }
            process.send(SIGINT)
            #expect(try await process.end() == .exited(130))
            #expect(process.text.contains("Run the command again"), "\(process.text)")
            try await darkroom.drain()
            #expect(try await Self.pictures(darkroom).map(Self.isSound).count { $0 } == 2)

            let slow = try OperatorProcess(darkroom, "sweep", "--verify", "--dry-run", "--rate", "0.01")
            try await until { slow.text.contains("damaged") }
            slow.send(SIGTERM)
            #expect(try await slow.end() == .exited(143))
            #expect(try await Self.rerenders(darkroom) == 2)

            let worker = try WorkerProcess(darkroom)
            let rest = try await darkroom.darkroom("sweep", "--verify", "--json")
            #expect(rest.ending == .exited(1))
            #expect(try JSONObject.lines(rest.standardOutput).last?.number("rerendered") == 4)
            #expect(try await Self.pictures(darkroom).allSatisfy(Self.isSound))
            #expect(try await darkroom.darkroom("sweep", "--verify").ending == .exited(0))
            worker.send(SIGTERM)
            #expect(try await worker.end() == .exited(0))
        }
    }
}
