import ChildProcess
import DarkroomClient
import FoundationEssentials
import Gazetteer
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The location of a post", .timeLimit(.minutes(15)))
struct LocationTests {
    /// A spot in Cape Town, 1.9 km from its place.
    static let spot = (latitude: -33.9175, longitude: 18.4026)

    private static func distance(_ post: JSONObject, from point: (latitude: Double, longitude: Double)) throws
        -> Double
    {
        let latitude = try #require(post.number("latitude"))
        let longitude = try #require(post.number("longitude"))
        let published = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let other = try #require(Coordinate(latitude: point.latitude, longitude: point.longitude))
        return published.distance(to: other)
    }

    private static func exact(_ post: JSONObject, in darkroom: Installation) async throws -> (Double, Double)
    {
        let rows = try await darkroom.database.pool.query(
            """
            select latitude, longitude from darkroom.post_exact_locations
            where post_id = \(Int(try #require(post.number("post_id"))))
            """)
        return (
            try rows[0].decode("latitude", as: Double.self), try rows[0].decode("longitude", as: Double.self)
        )
    }

    private static func publish(_ arguments: String..., in darkroom: Installation) async throws -> JSONObject
    {
        let path = try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg")
        let output = try await darkroom.command(["enqueue"] + arguments + [path, "--json"]).runSuccessfully()
        try #require(try JSONObject.lines(output.standardOutput).count == 1)
        try await darkroom.drain()
        return try #require(try await darkroom.json("posts", "list", "--limit", "1").first)
    }

    @Test("includes its source and accuracy, of the device, the camera or neither")
    func accuracy() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            func camera(_ metres: (UInt32, UInt32)) throws -> String {
                let photo = PhotoFixture.jpeg(latitude: Self.spot.latitude, longitude: Self.spot.longitude) {
                    $0.set(.gps, 31, .rationals([metres]))
                }
                return try darkroom.write(photo, to: "camera-\(metres.0).jpg")
            }
            let plain = try darkroom.write(PhotoFixture.jpeg(seed: 2), to: "plain.jpg")
            let position = ["--lat", "47.6", "--lon", "-122.33"]
            let cases: [([String], String, Double?, String)] = [
                (position + ["--accuracy", "12.5", plain], "device", 12.5, "point"),
                (position + ["--accuracy", "350", plain], "device", 350, "area"),
                (position + [plain], "device", nil, "point"),
                ([try camera((65, 10))], "exif", 6.5, "point"),
                ([try camera((2000, 1))], "exif", 2000, "area"),
                ([try camera((0, 1))], "exif", nil, "point"),
                ([try camera((19_000_000, 1))], "exif", 1_000_000, "area"),
                (["--place", "Seattle, WA", plain], "text", 7_125.514_953_320_918, "city"),
                // The camera's accuracy does not apply to the device's coordinates.
                (position + [try camera((77, 1))], "device", nil, "point"),
            ]
            for (arguments, source, accuracy, precision) in cases {
                _ = try await darkroom.command(["enqueue"] + arguments).runSuccessfully()
                try await darkroom.drain()
                let post = try #require(try await darkroom.json("posts", "list", "--limit", "1").first)
                #expect(post.string("location_source") == source, "\(arguments)")
                #expect(post.number("location_accuracy_m") == accuracy, "\(arguments)")
                #expect(post.string("location_precision") == precision, "\(arguments)")
            }
            let shown = try await darkroom.command(["posts", "show", "2"]).runSuccessfully().standardOutput
            #expect(shown.contains("(device, ±350 m, known as area, published as grid_10m)"))
        }
    }

    @Test(
        "is no more exact than the policy and the uploader allow; the exact one is stored separately",
        arguments: [
            (nil, nil, 0.5, 7.08), ("exact", nil, 0, 0), ("grid_100m", nil, 5, 70.8),
            ("grid_100m", "exact", 5, 70.8), ("exact", "grid_1km", 20, 707.2),
            ("grid_1km", "place", 1_000, 3_000),
            ("place", nil, 1_000, 3_000),
        ] as [(String?, String?, Double, Double)])
    func privacy(policy: String?, asked: String?, least: Double, most: Double) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            if let policy {
                try await darkroom.database.pool.query(
                    """
                    insert into darkroom.location_policies (privacy, minimum_population, note)
                    values (\(policy)::darkroom.location_privacy, 0, 'test')
                    """)
            }
            let position = ["--lat", "\(Self.spot.latitude)", "--lon", "\(Self.spot.longitude)"]
            let path = try darkroom.write(PhotoFixture.jpeg(), to: "p.jpg")
            _ = try await darkroom.command(
                ["enqueue", path] + position + (asked.map { ["--location-privacy", $0] } ?? [])
            ).runSuccessfully()
            try await darkroom.drain()
            let post = try #require(try await darkroom.json("posts", "list").first)
            let moved = try Self.distance(post, from: Self.spot)
            #expect(moved >= least && moved <= most, "\(moved)")
            #expect(try await Self.exact(post, in: darkroom) == Self.spot)
            let levels = [policy ?? "grid_10m", asked ?? "exact"].compactMap(LocationPrivacy.init)
            let order = LocationPrivacy.allCases
            let expected = try #require(levels.max { order.firstIndex(of: $0)! < order.firstIndex(of: $1)! })
            #expect(post.string("location_privacy") == expected.rawValue)
            #expect(post.string("place", "name") == "Cape Town")
            // The distance must be that of the published location, or it would reveal a circle through the spot.
            let place = (latitude: -33.92584, longitude: 18.42322)
            let published = try Self.distance(post, from: place)
            #expect(abs(try #require(post.number("place", "distance_m")) - published) <= 0.51)
        }
    }

    @Test("names a larger place instead of a small one, or none, if the policy says so")
    func minimumPopulation() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            try await darkroom.database.pool.query(
                """
                insert into darkroom.location_policies (activity, minimum_population, note)
                values ('secret', 200000, 'test'), ('public', 100000, 'test')
                """)
            func publish(_ activity: String) async throws -> JSONObject {
                try await Self.publish(
                    "--lat", "37.3", "--lon", "-93.3", "--activity", activity, "--location-privacy", "place",
                    in: darkroom)
            }
            let named = try await publish("public")
            #expect(named.string("place", "name") == "Springfield")
            #expect(named.number("latitude") == 37.21533 && named.number("place", "distance_m") == 0)
            // The next place of 200,000 people is in another division, 2,000 km away.
            let hidden = try await publish("secret")
            #expect(hidden.string("place", "name") == nil && hidden.string("division", "name") == "Missouri")
            let moved = try Self.distance(hidden, from: (37.3, -93.3))
            #expect(moved > 1_000 && moved < 70_720, "a cell of 100 km")
        }
    }

    @Test("is the same whether a worker or the database computes the cell")
    func grids() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            var generator = SystemRandomNumberGenerator()
            var points: [(Double, Double)] = [
                (90, 0), (-90, 17), (0, 180), (0, -180), (-45, 180), (89.99999, 3),
            ]
            for _ in 0..<2_000 {
                points.append(
                    (
                        Double.random(in: -90...90, using: &generator),
                        Double.random(in: -180...180, using: &generator)
                    ))
            }
            for cell in [10.0, 100, 1_000, 100_000] {
                let grid = CoordinateGrid(cellMetres: cell)
                let rows = try await database.pool.query(
                    """
                    select centre_latitude, centre_longitude
                    from unnest(\(points.map(\.0))::float8[], \(points.map(\.1))::float8[])
                             with ordinality as p (latitude, longitude, number),
                         darkroom.grid_centre(p.latitude, p.longitude, \(cell))
                    order by number
                    """)
                #expect(rows.count == points.count)
                for (point, row) in zip(points, rows) {
                    let ours = grid.centre(
                        of: try #require(Coordinate(latitude: point.0, longitude: point.1)))
                    let theirs = (
                        try row.decode("centre_latitude", as: Double.self),
                        try row.decode("centre_longitude", as: Double.self)
                    )
                    #expect(theirs == (ours.latitude, ours.longitude), "\(point) in cells of \(cell) m")
                }
            }
        }
    }

    @Test("is that given to DarkroomClient, for one photo or many at once")
    func client() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let client = try DarkroomClient(database: darkroom.database.url, media: darkroom.media)
            var details = UploadDetails(uploader: "ada")
            details.coordinates = (47.6, -122.33)
            details.accuracyMetres = 8.25
            details.locationPrivacy = .grid100m
            details.placeNear = (3, 4)
            details.placeCountry = "US"
            let stored = try await client.store(bytes: PhotoFixture.jpeg())
            _ = try await client.enqueue(stored, details)
            _ = try await client.enqueue([(stored, details), (stored, UploadDetails(uploader: "bob"))])
            details.accuracyMetres = 0
            let error = await #expect(throws: DarkroomError.self) {
                try await client.enqueue(stored, details)
            }
            #expect(error?.code == .invalidUpload)
            await client.close()
            let rows = try await darkroom.database.pool.query(
                """
                select accuracy_m, location_privacy::text as asked,
                       concat(place_near_latitude, place_near_longitude, place_country) as hints
                from darkroom.uploads order by upload_id
                """)
            #expect(try rows.map { try $0.decode("hints", as: String.self) } == ["34US", "34US", ""])
            #expect(try rows.map { try $0.decode("accuracy_m", as: Double?.self) } == [8.25, 8.25, nil])
            #expect(
                try rows.map { try $0.decode("asked", as: String?.self) } == ["grid_100m", "grid_100m", nil])
        }
    }

    @Test(
        "cannot be enqueued out of range",
        arguments: [
            (["--lat", "1", "--lon", "2", "--accuracy", "0"], "outside"),
            (["--accuracy", "5"], "needs --lat and --lon"),
            (["--location-privacy", "secret"], "grid_1km"),
        ])
    func usage(arguments: [String], message: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let output = try await darkroom.command(["enqueue"] + arguments + ["p.jpg"]).run()
            #expect(output.ending == .exited(64))
            #expect(output.standardError.contains(message), "\(output.standardError)")
        }
    }
}
