import Gazetteer
import TestKit
import Testing

/// The Earth turned by 180 degrees. Nothing but the seam in the longitudes may tell the two apart.
@Suite("The antimeridian", .computing, .timeLimit(.minutes(15)))
struct AntimeridianTests {
    /// Land and places near the prime meridian, or near the antimeridian if the Earth is turned.
    private struct Earth {
        let isTurned: Bool
        private(set) var rows: [Fixture.Row] = []
        private(set) var countries: [String] = []
        private(set) var divisions: [String] = []
        private(set) var seas: [String] = []

        static let latitudes: [Double] = [-84, -60, -45.3, -16.5, 0, 33.3, 52, 71, 85]

        init(isTurned: Bool) {
            self.isTurned = isTurned
            for (number, latitude) in Self.latitudes.enumerated() {
                // Each group of shapes twice: the same, and seen in a mirror.
                for (mirror, south) in [(1.0, latitude), (-1.0, latitude + 2)] {
                    add(mirror, south, "\(number) \(mirror < 0 ? "west" : "east")")
                }
            }
            addSea()
        }

        private mutating func add(_ mirror: Double, _ south: Double, _ name: String) {
            // Land that ends at the meridian, and land that ends shortly before it. None of both is on the other side.
            land("US", "Washington", mirror, (0, 0.5), south, south + 0.2)
            land("CH", "Zürich", mirror, (0.03, 0.5), south + 0.5, south + 0.7)
            place("\(name) Town", 0.3 * mirror, south + 0.1, "US", "WA")
            place("\(name) Stadt", 0.3 * mirror, south + 0.6, "CH", "ZH")
            // Two divisions of a country whose border is the meridian, and a gap between two others.
            land("US", "Illinois", mirror, (0, 0.5), south + 1, south + 1.2)
            land("US", "Missouri", -mirror, (0.02, 0.5), south + 1, south + 1.2)
            place("\(name) Springfield", 0.2 * mirror, south + 1.1, "US", "IL")
            // A place of a country without polygons, which overrules the polygon around it.
            place("\(name) Enclave", 0.05 * mirror, south + 1.15, "FJ", "")
            // An island that no polygon draws; and a city with parts, one of them across the meridian.
            place("\(name) Atoll", 0.04 * mirror, south - 0.4, "GB", "")
            place("\(name) City", 0.01 * mirror, south + 0.15, "US", "WA", population: 4_000_000)
            place("\(name) Suburb", -0.01 * mirror, south + 0.15, "US", "WA", population: 100_000)
            place("\(name) Part", -0.02 * mirror, south + 0.12, "US", "WA", population: 900, isSection: true)
        }

        private func longitude(_ offset: Double) -> Double {
            guard isTurned else { return offset }
            return offset > 0 ? offset - 180 : offset + 180
        }

        private func square(_ mirror: Double, _ reach: (Double, Double), _ south: Double, _ north: Double)
            -> String
        {
            // At the meridian itself, both longitudes of it are possible: the one on the square's own side.
            let meridian = isTurned ? -180 * mirror : 0
            let ends = [reach.0, reach.1].map { $0 == 0 ? meridian : longitude($0 * mirror) }.sorted()
            return "[\(Fixture.square(west: ends[0], south: south, east: ends[1], north: north))]"
        }

        private mutating func land(
            _ country: String, _ division: String, _ mirror: Double, _ reach: (Double, Double),
            _ south: Double, _ north: Double
        ) {
            let shape = square(mirror, reach, south, north)
            countries.append(Fixture.feature(#""ISO_A2":"\#(country)""#, "Polygon", shape))
            divisions.append(
                Fixture.feature(#""name":"\#(division)","iso_a2":"\#(country)""#, "Polygon", shape))
        }

        private mutating func place(
            _ name: String, _ offset: Double, _ latitude: Double, _ country: String, _ admin1: String,
            population: Int = 1000, isSection: Bool = false
        ) {
            rows.append(
                Fixture.Row(
                    id: rows.count + 1, name: name, latitude: latitude, longitude: longitude(offset),
                    feature: isSection ? "PPLX" : "PPL", country: country, admin1: admin1,
                    population: population))
        }

        private mutating func addSea() {
            for mirror in [1.0, -1] {
                seas.append(
                    Fixture.feature(#""name":"Ocean""#, "Polygon", square(mirror, (0, 1), -90, 90)))
            }
        }

        func gazetteer(in folder: TemporaryFolder) throws -> Gazetteer {
            func collection(_ features: [String]) -> String {
                #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
            }
            var inputs = try Fixture.inputs(
                in: folder, rows: rows, borders: collection(countries), divisions: collection(divisions))
            inputs.append(
                GazetteerInput(.seas, path: try folder.write(collection(seas), to: "seas.geojson")))
            _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
            return try Gazetteer(path: "\(folder.path)/index")
        }

        /// All coordinates of a point: the meridian itself has two if the Earth is turned.
        func points(_ offset: Double, _ latitude: Double) throws -> [Coordinate] {
            let longitudes = isTurned && offset == 0 ? [180, -180] : [longitude(offset)]
            return try longitudes.map { try coordinate(latitude, $0) }
        }
    }

    /// All that an answer says, without numbers that rounding may change.
    private static func text(_ gazetteer: Gazetteer, _ point: Coordinate) -> String {
        let answer = gazetteer.reverse(point)
        func metres(_ value: Double?) -> String { value.map { "\(Int(($0 / 2).rounded()) * 2) m" } ?? "-" }
        let certainty: String =
            if case .nearBorder(let far) = answer.certainty { "near \(metres(far))" } else {
                "\(answer.certainty)"
            }
        let division: String =
            if case .nearBorder(let far) = answer.admin1Certainty {
                "near \(metres(far))"
            } else {
                answer.admin1Certainty.map { "\($0)" } ?? "-"
            }
        let city = answer.city(at: point)
        let sea = answer.sea
        return [
            answer.country?.code, certainty, answer.admin1?.name, division, answer.place?.name,
            metres(answer.distanceMetres), city?.city.name, city?.locality?.name, sea?.name,
            sea?.coast?.country.code, metres(sea?.coast?.metres),
        ].map { $0 ?? "-" }.joined(separator: ", ")
    }

    @Test("is a meridian like any other: to borders, divisions, places, cities and coasts across it")
    func turned() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let (plain, turned) = (Earth(isTurned: false), Earth(isTurned: true))
        let (gazetteer, beyond) = (try plain.gazetteer(in: folder), try turned.gazetteer(in: other))
        var kinds: [String: Int] = [:]
        for latitude in Earth.latitudes {
            for north in stride(from: latitude - 0.63, to: latitude + 3.7, by: 0.117) {
                for offset in [-0.6, -0.31, -0.12, -0.051, -0.013, -0.0001, 0, 0.0001, 0.009, 0.04, 0.2, 0.7]
                {
                    let expected = Self.text(gazetteer, try plain.points(offset, north)[0])
                    for point in try turned.points(offset, north) {
                        let found = Self.text(beyond, point)
                        #expect(found == expected, "\(offset) from the antimeridian at \(north)")
                    }
                    kinds[expected.split(separator: " ").prefix(2).joined(separator: " "), default: 0] += 1
                }
            }
        }
        // The points are chosen so that something of each kind is found.
        for kind in [
            "US, near", "CH, near", "US, insideBorder", "FJ, nearestPlace", "GB, nearestPlace", "-, remote",
        ] {
            let count = kinds.first { $0.key.hasPrefix(kind) }?.value ?? 0
            #expect(count > 20, "\(kind): \(kinds)")
        }
    }
}
