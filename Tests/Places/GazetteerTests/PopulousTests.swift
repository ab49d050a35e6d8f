import Gazetteer
import GazetteerVerification
import Glibc
import TestKit
import Testing

@Suite("The nearest place that is large enough", .computing)
struct PopulousTests {
    /// The result of a search of every place of the rows.
    private static func expected(
        _ rows: [Fixture.Row], _ answer: ReverseAnswer, _ point: Coordinate, minimum: Int
    ) throws -> Int? {
        guard let named = answer.place, let country = answer.country else { return nil }
        if named.population >= minimum { return named.geonameid }
        let own = try #require(rows.first { $0.id == named.geonameid })
        let large = rows.filter { $0.country == country.code && $0.population >= minimum }
        let placed = try large.map { row in
            let place = try coordinate(row.latitude, row.longitude)
            return (row: row, metres: place.distance(to: point))
        }
        let near = placed.filter { $0.metres <= Gazetteer.placeCapMetres }
        let inDivision = near.filter { own.admin1 == $0.row.admin1 && !own.admin1.isEmpty }
        let candidates = inDivision.isEmpty ? near : inDivision
        return candidates.min { ($0.metres, $0.row.id) < ($1.metres, $1.row.id) }?.row.id
    }

    @Test(
        "is the division's, else the country's, as in a search of every place",
        arguments: [false, true])
    func exhaustive(hasBorders: Bool) throws {
        var random = SplitMix(state: 21)
        let centres = [(47.0, 8.5), (47.5, 5.0), (-18.5, 178.5), (-16.5, 179.8), (-85, 60)]
        let countries = [["CH", "FR"], ["FR"], ["FJ", "FR"], ["FJ"], ["AQ"]]
        let rows = (1...900).map { id in
            let centre = centres[id % centres.count]
            // Coordinates to a thousandth, so that some places share a point.
            let longitude = ((centre.1 + random.degrees(1)) * 1e3).rounded() / 1e3
            return Fixture.Row(
                id: id, name: "P\(id)", latitude: ((centre.0 + random.degrees(1)) * 1e3).rounded() / 1e3,
                longitude: longitude > 180 ? longitude - 360 : longitude,
                country: countries[id % centres.count][id / 7 % countries[id % centres.count].count],
                admin1: ["", "A", "B", "C"][id / 5 % 4],
                population: id % 40 == 0 ? 50_000 : id % 9 == 0 ? 5_000 : id % 300)
        }
        let folder = try TemporaryFolder()
        let divisions = ["CH", "FR", "FJ", "AQ"].flatMap { country in
            ["A", "B", "C"].map { "\(country).\($0)\tDivision \($0)\tDivision \($0)\t1\n" }
        }
        var inputs = try Fixture.inputs(
            in: folder, rows: rows, borders: hasBorders ? Fixture.borders : nil)
        let codes = try folder.write(divisions.joined(), to: "divisions.txt")
        inputs = inputs.filter { $0.kind != .admin1Codes && $0.kind != .subdivisions }
        inputs.append(GazetteerInput(.admin1Codes, path: codes))
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        let gazetteer = try Gazetteer(path: "\(folder.path)/index")
        var (kept, ofDivision, ofCountry, none) = (0, 0, 0, 0)
        for round in 0..<3_000 {
            let centre = centres[round % centres.count]
            let longitude = centre.1 + random.degrees(1.5)
            let point = try coordinate(
                centre.0 + random.degrees(1.5), longitude > 180 ? longitude - 360 : longitude)
            let answer = gazetteer.reverse(point)
            let minimum = [0, 250, 5_000, 50_000, 60_000][round / 5 % 5]
            let found = gazetteer.place(for: answer, at: point, minimumPopulation: minimum)
            let expected = try Self.expected(rows, answer, point, minimum: minimum)
            #expect(found?.place.geonameid == expected, "\(point), at least \(minimum)")
            switch (found, answer.place) {
            case (nil, _): none += 1
            case (let found?, let named) where found.place == named: kept += 1
            case (let found?, _):
                if found.admin1 == answer.admin1 { ofDivision += 1 } else { ofCountry += 1 }
            }
        }
        #expect(min(kept, ofDivision, none) > 100 && ofCountry > 20, "\((kept, ofDivision, ofCountry, none))")
    }

    @Test(
        .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"),
        .enabled(if: Extent.isCheck, "make check runs it"))
    func `is the one that a search of every place of reference data finds`() async throws {
        let points = try TruthPoint.read(path: "\(ReferenceData.folder)/geo_truth.tsv").map(\.coordinate)
        let (misses, replaced) = try ReferenceData.withGazetteer { gazetteer in
            try Self.compare(gazetteer, at: points)
        }
        #expect(misses.isEmpty, "\(misses)")
        #expect(replaced > points.count / 10)
    }

    /// - Returns: the points where another place is found, and how many find a larger place than the nearest.
    private static func compare(_ gazetteer: Gazetteer, at points: [Coordinate]) throws -> ([Coordinate], Int)
    {
        let folder = try TemporaryFolder()
        let lines = try ReferenceData.unpackPlaces(in: folder).flatMap {
            try TemporaryFolder.read($0).split(separator: 0x0A)
        }
        var known: Set<Int> = []
        let rows = lines.compactMap { line -> Fixture.Row? in
            let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
            func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }
            guard let id = Int(text(0)), let latitude = Double(text(4)), let longitude = Double(text(5)),
                let population = Int(text(14)), known.insert(id).inserted
            else { return nil }
            return Fixture.Row(
                id: id, name: "", latitude: latitude, longitude: longitude, feature: text(7),
                country: text(8), admin1: text(10), population: population)
        }
        let large = rows.filter {
            $0.population >= 20_000 && !["PPLX", "PPLH", "PPLCH", "PPLQ", "PPLW"].contains($0.feature)
        }
        let byNumber = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        var replaced = 0
        var misses: [Coordinate] = []
        for (index, point) in points.enumerated() {
            let answer = gazetteer.reverse(point)
            let minimum = [20_000, 200_000][index % 2]
            let found = gazetteer.place(for: answer, at: point, minimumPopulation: minimum)
            let own = answer.place.flatMap { byNumber[$0.geonameid] }
            let expected = try Self.expected(
                large + [own].compactMap(\.self), answer, point, minimum: minimum)
            if found?.place.geonameid != expected { misses.append(point) }
            if let found, found.place != answer.place { replaced += 1 }
        }
        return (misses, replaced)
    }
}
