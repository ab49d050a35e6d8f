import Gazetteer
import GazetteerVerification
import TestKit
import Testing

@Suite(.computing) struct TruthTests {
    private func read(_ text: String, _ folder: TemporaryFolder) throws -> [TruthPoint] {
        try TruthPoint.read(path: try folder.write(text, to: "truth.tsv"))
    }

    @Test func `reads columns by name, in any order`() throws {
        let folder = try TemporaryFolder()
        let points = try read(
            "note\tlon\tother\tlat\tcountry\talso_ok\tadmin1\tgeonameid\tclass\n"
                + "n\t-122.3\tx\t47.6\tUS\tCA|\tUS.WA\t5809844\tborder\n\t0\t\t0\t\t\t\t\tsea\n", folder)
        #expect(points.count == 2)
        #expect(points[0].line == 2)
        #expect(try points[0].coordinate == coordinate(47.6, -122.3))
        #expect(points[0].countries == ["US", "CA", ""])
        #expect(points[0].admin1 == "US.WA")
        #expect(points[0].geonameid == 5_809_844)
        #expect(points[0].group == "border")
        #expect(points[0].note == "n")
        #expect(!points[0].isAtSea)
        #expect(points[1].isAtSea)
        #expect(points[1].admin1 == nil)
        #expect(points[1].geonameid == nil)
    }

    @Test(arguments: [
        ("", 1, 1), ("lat\tlon\n", 1, 1), ("lat\tlon\tcountry\n1\t2\n", 2, 2),
        ("lat\tlon\tcountry\n91\t2\tUS\n", 2, 1), ("country\tlat\tlon\nUS\t1\teast\n", 2, 3),
        ("lat\tlon\tcountry\tgeonameid\n1\t2\tUS\tx\n", 2, 4),
    ])
    func `names the line and column of what is wrong`(text: String, line: Int, column: Int) throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: GazetteerError.self) { try read(text, folder) }
        #expect(error.code == .malformedInput)
        #expect(error.line == line)
        #expect(error.column == column)
    }

    @Test func `scores by question and class, and lists the misses`() throws {
        let folder = try TemporaryFolder()
        let points = try read(
            """
            lat\tlon\tcountry\talso_ok\tadmin1\tgeonameid\tclass
            47.6\t-122.3\tUS\t\tUS.WA\t5809844\tinland
            47.6\t-122.3\tCA\tMX|US\tUS.OR\t1\tborder
            47.6\t-122.3\tCA\t\t\t\tborder
            0\t0\t\t\t\t\tsea
            48.86\t2.35\t\t\t\t\tsea
            0\t0\tUS\t\t\t\tisland

            """, folder)
        let score = TruthScore(of: try Fixture.gazetteer(in: folder), at: points)
        #expect(score.totals[.country] == TruthScore.Tally(right: 2, all: 4))
        #expect(score.totals[.admin1] == TruthScore.Tally(right: 1, all: 2))
        #expect(score.totals[.place] == TruthScore.Tally(right: 1, all: 2))
        #expect(score.totals[.sea] == TruthScore.Tally(right: 1, all: 2))
        #expect(score.groups["border"]?[.country]?.percent == 50)
        #expect(score.groups["inland"]?[.sea]?.percent == nil)
        #expect(score.misses.map(\.point.line) == [3, 3, 4, 6, 7])
        #expect(score.misses.map(\.question) == [.admin1, .place, .country, .sea, .country])
        #expect(score.misses.map(\.answered) == ["US.WA", "5809844 Seattle", "US", "FR", ""])
        #expect(score.misses.map(\.expected) == ["US.OR", "1", "CA", "none", "US"])
    }
}
