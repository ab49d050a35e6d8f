import Gazetteer
import Glibc
import Testing

@Suite struct ExhaustiveTests {
    /// Stars of many corners, that overlap, have holes, reach both sides of the antimeridian and come
    /// close to a pole.
    private static func borders(_ random: inout Random) -> (text: String, edges: Int) {
        var features: [String] = []
        var edges = 0
        for (index, country) in ["US", "CH", "FR", "JP", "CR", "FJ"].enumerated() {
            let (latitude, longitude) = [
                (47.0, 8.0), (47.5, 9.0), (0, 0), (88, 20), (-17, 178.9), (-16, -178.9),
            ][index]
            let rings = [0.9, 0.4, 0.05].map { radius in
                let corners = 90
                edges += corners
                let points = (0..<corners).map { corner in
                    let angle = Double(corner) / Double(corners) * 2 * Double.pi
                    let reach = radius * Double.random(in: 0.8...1, using: &random)
                    let (east, north) = (cos(angle), sin(angle))
                    return (longitude + reach * east, latitude + reach * north)
                }
                return "["
                    + (points + [points[0]]).map { "[\(rounded($0.0)),\(rounded($0.1))]" }.joined(
                        separator: ",") + "]"
            }
            features.append(
                Fixture.feature(#""ISO_A2":"\#(country)""#, "Polygon", "[\(rings.joined(separator: ","))]"))
        }
        return (#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#, edges)
    }

    private static func rounded(_ degrees: Double) -> Double { (degrees * 1e5).rounded() / 1e5 }

    @Test(arguments: [true, false])
    func `agrees with a search of every edge and place`(hasBorders: Bool) throws {
        var random = Random(seed: 5)
        let borders = Self.borders(&random)
        let centres = [(47.0, 8.0), (0, 0), (88, 20), (-17, 179), (-16, -179), (47.3, 8.7)]
        let rows = (1...600).map { id in
            let centre = centres[id % centres.count]
            return Fixture.Row(
                id: id, name: "P\(id)", latitude: centre.0 + random.degrees(1.5),
                longitude: max(-180, min(180, centre.1 + random.degrees(1.5))),
                country: ["US", "CH", "FR", "JP", "CR", "FJ"][id / 7 % 6])
        }
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(
            in: folder, rows: rows, borders: hasBorders ? borders.text : nil)
        let exhaustive = ExhaustiveSearch(gazetteer)
        #expect(exhaustive.edgeCount == (hasBorders ? borders.edges : 0))
        var certainties: [String: Int] = [:]
        for round in 0..<800 {
            let centre = centres[round % centres.count]
            // Every fourth point lies on the corners of cells and on the grid of the borders' points.
            let grid = round % 4 == 0 ? 0.125 : 1e-7
            let latitude = ((centre.0 + random.degrees(1.3)) / grid).rounded() * grid
            var longitude = ((centre.1 + random.degrees(1.3)) / grid).rounded() * grid
            if longitude > 180 { longitude -= 360 }
            if longitude < -180 { longitude += 360 }
            let point = try coordinate(min(latitude, 90), longitude)
            let answer = gazetteer.reverse(point)
            let isSame = answer == exhaustive.reverse(point)
            #expect(isSame, "\(point)")
            let name =
                switch answer.certainty {
                case .nearBorder: "nearBorder"
                default: "\(answer.certainty)"
                }
            certainties[name, default: 0] += 1
        }
        #expect(certainties.count == (hasBorders ? 4 : 1), "\(certainties)")
    }

    /// The planet's own: thousands of cells, coasts and enclaves.
    @Test(.enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
    func `agrees with a search of every edge and place of reference data`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try ReferenceData.gazetteer(in: folder)
        let exhaustive = ExhaustiveSearch(gazetteer)
        var random = Random(seed: 9)
        let truth = try TruthPoint.read(path: "\(ReferenceData.folder)/geo_truth.tsv").map(\.coordinate)
        for round in 0..<12 {
            let point =
                try round % 3 == 0
                ? truth[round * truth.count / 12] : coordinate(random.degrees(90), random.degrees(180))
            let isSame = gazetteer.reverse(point) == exhaustive.reverse(point)
            #expect(isSame, "\(point)")
        }
    }
}
