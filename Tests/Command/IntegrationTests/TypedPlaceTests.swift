import ChildProcess
import Gazetteer
import Postgres
import TestKit
import Testing

@Suite("A place that an uploader typed", .timeLimit(.minutes(15)))
struct TypedPlaceTests {
    /// Publishes a photo without a position and returns its post; nil if it was rejected.
    private static func publish(_ arguments: [String], seed: Int, in darkroom: Installation) async throws
        -> JSONObject?
    {
        let before = try await darkroom.json("posts", "list").count
        let photo = try darkroom.write(PhotoFixture.jpeg(seed: seed), to: "\(seed).jpg")
        _ = try await darkroom.command(["enqueue"] + arguments + [photo]).runSuccessfully()
        try await darkroom.drain()
        let posts = try await darkroom.json("posts", "list")
        return posts.count > before ? posts.first : nil
    }

    @Test("is published as precisely as it was typed")
    func precision() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let cases: [(String, String, String?, String?, String?)] = [
                ("United States", "country", "US", nil, nil),
                ("Washington State", "division", "US", "Washington", nil),
                ("Seattle, WA", "city", "US", "Washington", "Seattle"),
                ("4000 15th Ave NE, Seattle, WA 98105", "city", "US", "Washington", "Seattle"),
                ("47.6062 N, 122.3321 W", "point", "US", "Washington", "Seattle"),
                ("geo:47.6,-122.3;u=350", "area", "US", "Washington", "Seattle"),
            ]
            for (seed, (text, precision, country, division, place)) in cases.enumerated() {
                let post = try #require(
                    try await Self.publish(["--place", text], seed: seed + 1, in: darkroom), "\(text)")
                #expect(post.string("location_precision") == precision, "\(text)")
                #expect(post.string("location_source") == "text", "\(text)")
                #expect(post.string("country", "code") == country, "\(text)")
                #expect(post.string("division", "name") == division, "\(text)")
                #expect(post.string("place", "name") == place, "\(text)")
            }
            // The radius reaches from the middle of the country's towns to the farthest: from Springfield to Seattle.
            let rows = try await darkroom.database.pool.query(
                "select location_precision as precision, location_accuracy_m as radius, latitude from darkroom.posts"
            )
            for row in rows where try row.decode("precision", as: String.self) == "country" {
                let radius = try row.decode("radius", as: Double.self)
                #expect(radius > 2_000_000 && radius < 3_500_000, "\(radius)")
            }
            // Another gazetteer or policy names no town either.
            try await darkroom.database.pool.query(
                "insert into darkroom.location_policies (privacy, minimum_population, note) values ('place', 0, 'test')"
            )
            _ = try await darkroom.command(["posts", "relocate"]).runSuccessfully()
            let wide = try await darkroom.database.pool.query(
                """
                select place_name, division_name, location_privacy::text as privacy from darkroom.posts
                where location_precision in ('country', 'division') order by post_id
                """)
            #expect(try wide.map { try $0.decode("place_name", as: String?.self) } == [nil, nil])
            #expect(try wide.map { try $0.decode("division_name", as: String?.self) } == [nil, "Washington"])
            #expect(try wide.allSatisfy { try $0.decode("privacy", as: String.self) == "place" })
        }
    }

    @Test("takes the radius of the place that a person names instead, and a typed point stays where it is")
    func corrected() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            for (seed, text) in ["United States", "Washington State", "geo:47.6,-122.3;u=35"].enumerated() {
                _ = try #require(
                    try await Self.publish(["--place", text], seed: seed + 1, in: darkroom), "\(text)")
            }
            for post in 1...3 {
                _ = try await darkroom.command(
                    ["posts", "correct-place", "\(post)", "--place", "Springfield, IL", "--by", "olga"]
                ).runSuccessfully()
            }
            let rows = try await darkroom.database.pool.query(
                """
                select location_precision as precision, location_accuracy_m as radius, e.latitude, place_name
                from darkroom.posts join darkroom.post_exact_locations e using (post_id) order by post_id
                """)
            #expect(
                try rows.map { try $0.decode("place_name", as: String.self) }
                    == .init(repeating: "Springfield", count: 3))
            #expect(
                try rows.map { try $0.decode("precision", as: String.self) } == ["city", "city", "point"])
            let radii = try rows.map { try $0.decode("radius", as: Double.self) }
            #expect(radii[0] == radii[1] && radii[0] < 5_000 && radii[2] == 35)
            #expect(
                try rows.map { try $0.decode("latitude", as: Double.self) } == [39.80172, 39.80172, 47.6])
        }
    }

    @Test("is decided by where the uploader is, or by the uploader's country, and never against the text")
    func hints() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let near = try #require(
                try await Self.publish(
                    ["--place", "Springfield", "--place-near=39.9,-89"], seed: 1, in: darkroom))
            #expect(near.string("division", "name") == "Illinois")
            let other = try #require(
                try await Self.publish(
                    ["--place", "Springfield, IL", "--place-near=37.2,-93.3", "--place-country", "ZA"],
                    seed: 2,
                    in: darkroom))
            #expect(other.string("division", "name") == "Illinois")
            // Both are in the person's country.
            #expect(
                try await Self.publish(
                    ["--place", "Springfield", "--place-country", "US"], seed: 3, in: darkroom) == nil)
            let jobs = try await darkroom.json("jobs", "list", "--state", "rejected")
            #expect(jobs.map { $0.string("reason") } == ["place_ambiguous"])
        }
    }

    @Test("is rejected with the reason if it is written as coordinates and is no point")
    func badCoordinates() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            #expect(try await Self.publish(["--place", "97.6, 200"], seed: 1, in: darkroom) == nil)
            let job = try #require(try await darkroom.json("jobs", "list", "--state", "rejected").first)
            #expect(job.string("reason") == "bad_coordinates")
            #expect(job.string("message")?.contains("the latitude must be from -90 to 90 degrees") == true)
        }
    }

    @Test("is read by the command with its precision, radius and unread part")
    func command() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let address = try #require(
                try await darkroom.json("gazetteer", "forward", "4000 15th Ave NE, Seattle, WA").first)
            #expect(address.array("places").map { $0.string("unread") } == ["4000 15th Ave NE"])
            #expect(address.array("places").map { $0.string("precision") } == ["city"])
            #expect(address.string("message")?.contains("without “4000 15th Ave NE”.") == true)
            let country = try #require(try await darkroom.json("gazetteer", "forward", "USA").first)
            #expect(country.array("places").map { $0.string("name") } == ["United States"])
            #expect(country.array("places").first?.isNull("geonameid") == true)
            let unknown = try await darkroom.darkroom("gazetteer", "forward", "--country", "XX", "Seattle")
            #expect(unknown.standardError.contains("is not a country's code"))
            let bad = try await darkroom.darkroom("gazetteer", "forward", "91 N, 12 E")
            #expect(bad.ending == .exited(1))
            #expect(bad.standardError.contains("the latitude must be from -90 to 90 degrees"))
        }
    }
}
