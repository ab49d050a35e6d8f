import ChildProcess
import FoundationEssentials
import Postgres
import TestKit
import Testing

extension Installation {
    /// Creates posts like those of a release without location policies: exact, and without a place.
    func seed(_ count: Int, at point: (latitude: Double, longitude: Double)) async throws
        -> [Int64]
    {
        let rows = try await database.pool.query(
            """
            with upload as (
                insert into darkroom.uploads (uploader, job_id, original_key, original_sha256, original_bytes)
                select 'ada', n, 'k', decode(repeat('ab', 32), 'hex'), 1 from generate_series(1, \(count)) n
                returning upload_id)
            insert into darkroom.posts (upload_id, uploader, latitude, longitude, location_source, width, height, format)
            select upload_id, 'ada', \(point.latitude), \(point.longitude), 'device', 1, 1, 'jpeg' from upload
            returning post_id
            """)
        return try rows.map { try $0.decode("post_id", as: Int64.self) }.sorted()
    }

    func relocate(_ arguments: String...) async throws -> JSONObject {
        let output = try await command(["posts", "relocate", "--json"] + arguments).runSuccessfully()
        return try #require(try JSONObject.lines(output.standardOutput).first)
    }

    /// Rebuilds the index over the old one from changed places.
    func rebuildGazetteer(_ change: (String) -> String) async throws {
        let bytes = try #require(FileManager.default.contents(atPath: root + "/cities500.txt"))
        _ = try write(Array(change(String(decoding: bytes, as: UTF8.self)).utf8), to: "cities500.txt")
        try await command(["gazetteer", "build", "--from", root]).runSuccessfully()
    }

    /// A line of a table of places.
    static func place(
        _ id: Int, _ name: String, at point: (latitude: Double, longitude: Double), feature: String = "PPL",
        division: String, population: Int
    ) -> String {
        [
            "\(id)", name, name, "", "\(point.latitude)", "\(point.longitude)", "P", feature, "US", "",
            division, "",
            "", "", "\(population)", "", "", "", "",
        ].joined(separator: "\t") + "\n"
    }

    func names() async throws -> [Int64: String?] {
        let rows = try await database.pool.query("select post_id, place_name from darkroom.posts")
        return try Dictionary(
            uniqueKeysWithValues: rows.map {
                (try $0.decode("post_id", as: Int64.self), try $0.decode("place_name", as: String?.self))
            })
    }

    /// All columns of every post.
    func rows() async throws -> [Int64: String] {
        let rows = try await database.pool.query("select post_id, p::text as row from darkroom.posts p")
        return try Dictionary(
            uniqueKeysWithValues: rows.map {
                (try $0.decode("post_id", as: Int64.self), try $0.decode("row", as: String.self))
            })
    }
}
