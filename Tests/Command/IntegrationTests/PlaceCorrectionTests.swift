import ChildProcess
import Gazetteer
import Postgres
import Posts
import TestKit
import Testing

@Suite("darkroom posts correct-place", .timeLimit(.minutes(15)))
struct PlaceCorrectionTests {
    private struct Recorded: Equatable {
        var by: String
        var note: String?
        var text: String?
        var latitude: Double?
        var old: String?
        var new: String?
        var oldCity: String?
        var newCity: String?
        var newDivision: String?
    }

    private static func records(of post: Int64, in darkroom: Installation) async throws -> [Recorded] {
        let rows = try await darkroom.database.pool.query(
            """
            select corrected_by, note, place_text, latitude, old_place_name, new_place_name,
                   old_city_geonameid || ' ' || old_city_name as old_city,
                   new_city_geonameid || ' ' || new_city_name as new_city, new_division_code
            from darkroom.place_corrections where post_id = \(post) order by correction_id
            """)
        return try rows.map {
            Recorded(
                by: try $0.decode("corrected_by", as: String.self),
                note: try $0.decode("note", as: String?.self),
                text: try $0.decode("place_text", as: String?.self),
                latitude: try $0.decode("latitude", as: Double?.self),
                old: try $0.decode("old_place_name", as: String?.self),
                new: try $0.decode("new_place_name", as: String?.self),
                oldCity: try $0.decode("old_city", as: String?.self),
                newCity: try $0.decode("new_city", as: String?.self),
                newDivision: try $0.decode("new_division_code", as: String?.self))
        }
    }

    @Test("puts a post at a named place or a point, records it, and survives relocations")
    func corrected() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let post = try await darkroom.seed(1, at: (47.61, -122.33))[0]
            _ = try await darkroom.relocate()
            func correct(_ arguments: String...) async throws -> ChildProgram.Output {
                try await darkroom.command(["posts", "correct-place", "\(post)", "--by", "olga"] + arguments)
                    .run()
            }
            let before = try #require(try await ReadingStore(pool: darkroom.database.pool).post(post))
            let named = try await correct("--place", "springfield, il", "--note", "It is another town.")
            #expect(named.standardError.contains("is now in Springfield, Illinois, United States"))
            let renamed = try #require(try await ReadingStore(pool: darkroom.database.pool).post(post))
            #expect(renamed.place.place?.geonameid == 4_250_542 && renamed.isPlaceCorrected)
            #expect(renamed.latitude == before.latitude && renamed.longitude == before.longitude)
            #expect(renamed.locationSource == "device")

            #expect(try await correct("--latitude", "-33.92", "--longitude", "18.42").ending == .exited(0))
            let moved = try #require(try await ReadingStore(pool: darkroom.database.pool).post(post))
            #expect(moved.place.place?.name == "Cape Town" && moved.locationSource == "person")
            let exact = try #require(Coordinate(latitude: -33.92, longitude: 18.42))
            let centre = CoordinateGrid(cellMetres: 10).centre(of: exact)
            #expect(moved.latitude == centre.latitude && moved.longitude == centre.longitude)
            #expect(
                try await Self.records(of: post, in: darkroom) == [
                    Recorded(
                        by: "olga", note: "It is another town.", text: "springfield, il", old: "Seattle",
                        new: "Springfield", oldCity: "5809844 Seattle", newCity: "4250542 Springfield",
                        newDivision: "US.IL"),
                    Recorded(
                        by: "olga", latitude: -33.92, old: "Springfield", new: "Cape Town",
                        oldCity: "4250542 Springfield", newCity: "3369157 Cape Town", newDivision: "ZA.11"),
                ])

            try await darkroom.rebuildGazetteer { $0.replacing("Cape Town", with: "Kaapstad") }
            #expect(try await darkroom.relocate().number("posts") == 0)
            let refused = try await darkroom.command(["posts", "relocate", "--post", "\(post)"]).run()
            #expect(refused.standardError.contains("a person corrected"))
            #expect(try await darkroom.names() == [post: "Cape Town"])
        }
    }

    @Test(
        "says what it cannot do, and changes nothing",
        arguments: [
            (["1", "--place", "Springfield"], "Springfield, Missouri, United States"),
            (["1", "--place", "Atlantis"], "check the spelling"),
            (["404", "--place", "Seattle"], "no post 404"),
            (["1"], "either --place"), (["1", "--latitude", "3"], "either --place"),
            (["1", "--place", "Seattle", "--latitude", "3", "--longitude", "4"], "either --place"),
            (["1", "--latitude", "93", "--longitude", "4"], "outside"),
        ])
    func refused(arguments: [String], message: String) async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            _ = try await darkroom.seed(1, at: (47.61, -122.33))
            let before = try await darkroom.rows()
            let output = try await darkroom.command(["posts", "correct-place"] + arguments).run()
            #expect(output.ending != .exited(0))
            #expect(output.standardError.contains(message), "\(output.standardError)")
            #expect(try await darkroom.rows() == before)
        }
    }
}
