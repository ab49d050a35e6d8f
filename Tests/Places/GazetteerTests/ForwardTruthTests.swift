import Gazetteer
import GazetteerVerification
import TestKit
import Testing

@Suite(.computing) struct ForwardTruthTests {
    @Test func `reads columns by name, in any order`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "class\tanswer\tother\tkind\ttext\talso_ok\tlat\tlon\n"
                + "x\t7\t\tplace\tA, B\t8|9\t1.5\t-2\n\tUS.WA\t\tadmin1\tC\t\t\t\n\tUS\t\tcountry\tD\t3\t\t\n"
                + "\t\t\tambiguous\tE\t\t\t\n\t\t\tnone\tF\t\t\t\n", to: "questions.tsv")
        let questions = try ForwardQuestion.read(path: path)
        #expect(
            questions.map(\.expected) == [
                .place([7, 8, 9]), .admin1("US.WA", orPlace: []), .country("US", orPlace: [3]), .ambiguous,
                .none,
            ])
        #expect(questions.map(\.text) == ["A, B", "C", "D", "E", "F"])
        #expect(questions.map(\.line) == [2, 3, 4, 5, 6])
        #expect(questions[0].group == "x")
        #expect(try questions[0].near == coordinate(1.5, -2))
        #expect(questions[1].near == nil)
    }

    @Test(arguments: [
        ("", 1, 1), ("text\tkind\n", 1, 1), ("text\tkind\tanswer\na\tplace\tx\n", 2, 3),
        ("text\tkind\tanswer\na\ttown\t1\n", 2, 2), ("text\tkind\tanswer\talso_ok\na\tplace\t1\tx\n", 2, 4),
        ("text\tkind\tanswer\na\tplace\n", 2, 2),
        ("text\tkind\tanswer\tlat\tlon\na\tplace\t1\t95\t0\n", 2, 4),
    ])
    func `names the line and column of what is wrong`(text: String, line: Int, column: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "questions.tsv")
        let error = try #require(throws: GazetteerError.self) { try ForwardQuestion.read(path: path) }
        #expect(error.code == .malformedInput)
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test func `distinguishes right, unsure and wrong`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            text\tkind\tanswer\talso_ok\tclass
            Seattle\tplace\t5809844\t\ta
            Seattle\tplace\t1\t2|5809844\ta
            Seattle\tplace\t1\t\ta
            Seattle\tambiguous\t\t\ta
            Springfield\tambiguous\t\t\tb
            Springfield\tplace\t4409896\t\tb
            Springfield\tplace\t4250542\t\tb
            Springfield\tnone\t\t\tb
            Fiji\tcountry\tFJ\t\tc
            Suva\tcountry\tFJ\t\tc
            Suva\tcountry\tFJ\t2198148\tc
            California\tadmin1\tUS.CA\t\tc
            California\tadmin1\tUS.WA\t\tc
            Atlantis\tnone\t\t\td
            Atlantis\tplace\t1\t\td

            """, to: "questions.tsv")
        let score = ForwardScore(
            of: try Fixture.gazetteer(in: folder), at: try ForwardQuestion.read(path: path))
        #expect(score.total.right == 7)
        #expect(score.total.unsure == 1)
        #expect(score.total.all == 15)
        #expect(score.groups["b"]?.percent == 50)
        #expect(score.misses.map(\.question.line) == [4, 5, 7, 8, 9, 11, 14, 16])
        #expect(
            score.misses.map(\.verdict) == [.wrong, .wrong, .unsure, .wrong, .wrong, .wrong, .wrong, .wrong])
    }
}

@Suite(
    .computing,
    .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
struct ForwardReferenceTests {
    /// Points and the city that people name there. No table has Montmartre by that name, or Scarborough.
    private static let parts = [
        ("Shinjuku", 35.6938, 139.7035, "Tokyo"), ("Brooklyn", 40.65, -73.95, "New York City"),
        ("Queens", 40.6815, -73.8365, "New York City"), ("Harlem", 40.8079, -73.9454, "New York City"),
        ("Kreuzberg", 52.4997, 13.4034, "Berlin"), ("Montmartre", 48.8867, 2.3406, "Paris"),
        ("Croydon", 51.3833, -0.1, "London"), ("Bergedorf", 53.4846, 10.229, "Hamburg"),
        ("Oakland", 37.8044, -122.2708, "Oakland"), ("Jersey City", 40.7282, -74.0776, "Jersey City"),
        ("Versailles", 48.8036, 2.1342, "Versailles"), ("Potsdam", 52.3989, 13.0657, "Potsdam"),
        ("Bonn", 50.7344, 7.0955, "Bonn"), ("Kawasaki", 35.5206, 139.7172, "Kawasaki"),
        ("Cambridge", 42.3751, -71.1056, "Cambridge"),
        ("Boulogne", 48.8355, 2.2413, "Boulogne-Billancourt"),
    ]

    /// The floor leaves room for other editions of the data, but not for a broken rule.
    @Test func `finds what people type`() async throws {
        let questions = try ForwardQuestion.read(path: "\(Checkout.root)/Benchmarks/gazetteer/forward.tsv")
        let (score, cities) = try ReferenceData.withGazetteer { gazetteer in
            let cities = try Self.parts.map { part in
                let point = try coordinate(part.1, part.2)
                return gazetteer.reverse(point).city(at: point)?.city.name
            }
            return (ForwardScore(of: gazetteer, at: questions), cities)
        }
        #expect(questions.count >= 500)
        let misses = score.misses.filter { $0.verdict == .wrong }.map(\.question.text)
        #expect((score.total.percent ?? 0) >= 98, "\(misses)")
        #expect(Double(score.total.right) >= 0.97 * Double(score.total.all))
        for (part, city) in zip(Self.parts, cities) { #expect(city == part.3, "\(part.0)") }
    }
}

@Suite(
    .computing,
    .enabled(if: ReferenceData.isPresent, "set DARKROOM_TEST_DATA to the folder of reference data"))
struct NameReferenceTests {
    /// Nothing else is answered by another place: initials of cities with more people than the country of that code. The index has
    /// no place of 21 regions, so their names mean something else.
    private static let known: Set = ["BH", "LA"]

    @Test func `returns every country, division and large city itself, or leaves it open`() async throws {
        let table = try TemporaryFolder.read("\(ReferenceData.folder)/gazetteer/countryInfo.txt")
        var codes: [String: String] = [:]
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t")
            codes[String(fields[0])] = String(fields[1])
        }
        let check = try ReferenceData.withGazetteer { NameCheck(of: $0, codes: codes) }
        #expect(check.tallies["city"]?.all ?? 0 > 5_000)
        #expect(check.tallies["country code"]?.all ?? 0 > 500)
        #expect(check.tallies["division"]?.all ?? 0 > 3_800)
        let others = check.exceptions.filter { !$0.isEmpty && !Self.known.contains($0.text) }
        #expect(others.isEmpty)
        #expect(check.exceptions.count <= 21 + Self.known.count)
    }
}
