import Gazetteer
import GazetteerVerification
import Glibc
import TestKit
import Testing

@Suite(.computing) struct ExhaustiveTests {
    /// Stars with many corners that overlap, have holes, reach both sides of the antimeridian and come
    /// close to a pole.
    private static func borders(_ random: inout SplitMix, shift: Double = 0) -> (text: String, edges: Int) {
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
                    return (longitude + reach * east, latitude + shift + reach * north)
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

    /// As borders are stored.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 8_000).rounded() / 8_000 }

    private enum Given: CaseIterable {
        case places, borders, divisions

        /// The kinds of certainty of country and division that occur.
        var certainties: (Int, Int) {
            switch self {
            case .places: (1, 1)
            case .borders: (4, 1)
            case .divisions: (4, 3)
            }
        }
    }

    @Test(arguments: Given.allCases)
    private func `agrees with a search of every edge and place`(given: Given) throws {
        var random = SplitMix(state: 5)
        let borders = Self.borders(&random)
        // As large as countries, tilted, and some overlapping.
        let divisions = Self.borders(&random, shift: 0.4)
        let centres = [(47.0, 8.0), (0, 0), (88, 20), (-17, 179), (-16, -179), (47.3, 8.7)]
        let countries = ["US", "CH", "FR", "JP", "CR", "FJ"]
        let rows = (1...600).map { id in
            let centre = centres[id % centres.count]
            return Fixture.Row(
                id: id, name: "P\(id)", latitude: centre.0 + random.degrees(1.5),
                longitude: max(-180, min(180, centre.1 + random.degrees(1.5))),
                country: countries[id / 7 % 6], admin1: ["A", "B", ""][id / 11 % 3])
        }
        let folder = try TemporaryFolder()
        var inputs = try Fixture.inputs(
            in: folder, rows: rows, borders: given == .places ? nil : borders.text,
            divisions: given == .divisions ? divisions.text : nil)
        inputs.removeAll { $0.kind == .admin1Codes }
        let codes = countries.map { "\($0).A\tFirst\n\($0).B\tSecond\n" }.joined()
        inputs.append(GazetteerInput(.admin1Codes, path: try folder.write(codes, to: "codes.txt")))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        let gazetteer = try Gazetteer(path: "\(folder.path)/index")
        let exhaustive = ExhaustiveSearch(gazetteer)
        if given == .borders { #expect(exhaustive.edgeCount == borders.edges) }
        var certainties: Set<String> = []
        var divisionCertainties: Set<String> = []
        for round in 0..<800 {
            let centre = centres[round % centres.count]
            // Some points lie on the corners of cells, and some on the grid of the borders' points.
            let grid = round % 4 == 0 ? 0.125 : round % 4 == 1 ? 1.25e-4 : 1e-7
            let latitude = ((centre.0 + random.degrees(1.3)) / grid).rounded() * grid
            var longitude = ((centre.1 + random.degrees(1.3)) / grid).rounded() * grid
            if longitude > 180 { longitude -= 360 }
            if longitude < -180 { longitude += 360 }
            let point = try coordinate(min(latitude, 90), longitude)
            let answer = gazetteer.reverse(point)
            let isSame = answer == exhaustive.reverse(point)
            #expect(isSame, "\(point)")
            certainties.insert("\(answer.certainty)".filter(\.isLetter))
            if let certainty = answer.admin1Certainty {
                divisionCertainties.insert("\(certainty)".filter(\.isLetter))
            }
        }
        #expect(certainties.count == given.certainties.0, "\(certainties)")
        #expect(divisionCertainties.count == given.certainties.1, "\(divisionCertainties)")
    }

    /// The real planet: thousands of cells, coasts and enclaves.
    @Test(.enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
    func `agrees with a search of every edge and place of reference data`() async throws {
        let truth = try TruthPoint.read(path: "\(ReferenceData.folder)/geo_truth.tsv").map(\.coordinate)
        let misses = try ReferenceData.withGazetteer { gazetteer in
            let exhaustive = ExhaustiveSearch(gazetteer)
            var random = SplitMix(state: 9)
            return try (0..<Extent.of(1, check: 8)).compactMap { round in
                let point =
                    try round % 3 == 0
                    ? truth[round * truth.count / 8] : coordinate(random.degrees(90), random.degrees(180))
                return gazetteer.reverse(point) == exhaustive.reverse(point) ? nil : point
            }
        }
        #expect(misses.isEmpty, "\(misses)")
    }
}
