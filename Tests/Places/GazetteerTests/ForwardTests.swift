import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct ForwardTests {
    @Test(arguments: [
        ("Seattle", 5_809_844), ("Seattle, WA", 5_809_844), ("seattle wa", 5_809_844),
        ("SEATTLE,washington", 5_809_844),
        ("Seattle, Washington, USA", 5_809_844), ("Seattle, US-WA", 5_809_844), ("シアトル", 5_809_844),
        ("Springfield, IL, USA", 4_250_542), ("Springfield, Missouri", 4_409_896),
        ("  Springfield ,IL,  ", 4_250_542),
        ("zurich", 2_657_896), ("Zürich", 2_657_896), ("ZU\u{308}RICH", 2_657_896),
        ("Zürich, Switzerland", 2_657_896),
        ("東京", 1_850_147), ("tokyo", 1_850_147), ("Ｔｏｋｙｏ", 1_850_147), ("SF", 5_391_959),
        ("Paris", 2_988_507), ("Paris, France", 2_988_507), ("paris FR", 2_988_507),
        ("Paris, FRA", 2_988_507),
        ("Paris, TX", 4_717_560), ("Paris, United States", 4_717_560), ("San Jose", 3_621_849),
        ("Fremont", 5_793_933),
        ("Washington", 4_140_963), ("Washington, D.C.", 4_140_963),
    ])
    func `finds one place`(text: String, geonameid: Int) throws {
        let folder = try TemporaryFolder()
        let answer = try Fixture.gazetteer(in: folder).forward(text)
        guard case .match(let match) = answer else {
            Issue.record("\(text) gives \(answer)")
            return
        }
        #expect(match.place?.geonameid == geonameid)
        #expect(match.kind == .place)
        #expect(match.score > 0 && match.score <= 1)
    }

    @Test(
        arguments: [
            ("Costa Rica", "CR", .country), ("costa-rica", "CR", .country), ("CRI", "CR", .country),
            ("U.S.A.", "US", .country), ("America", "US", .country), ("Fiji", "FJ", .country),
            ("Switzerland", "CH", .country), ("California", "US.CA", .division),
            ("Illinois, USA", "US.IL", .division), ("WA, USA", "US.WA", .division),
        ] as [(String, String, PlaceMatch.Precision)])
    func `names a country or division without a place`(
        text: String, code: String, precision: PlaceMatch.Precision
    ) throws {
        let folder = try TemporaryFolder()
        let answer = try Fixture.gazetteer(in: folder).forward(text)
        let match = try #require(answer.match, "\(answer)")
        #expect((match.admin1?.code ?? match.country?.code) == code)
        #expect(match.precision == precision)
        #expect(match.place == nil)
        #expect(match.unread == nil)
    }

    @Test(arguments: [
        ("Łódź", "lodz"), ("Malmö", "MALMO"), ("Tromsø", "tromso"), ("Đà Nẵng", "da nang"),
        ("Weißensee", "weissensee"),
        ("Ærø", "aero"), ("İzmir", "izmir"), ("Iğdır", "igdir"), ("Αθήνα", "ΑΘΗΝΑ"), ("Королёв", "королев"),
        ("Йошкар-Ола", "и\u{306}ошкар ола"), ("St. John's", "St Johns"), ("St. John’s", "st. johns"),
        ("がく", "か\u{3099}く"), ("パリ", "ハ\u{309A}リ"), ("Saint-Denis", "saint denis"), ("آمل", "امل"),
    ])
    func `folds case, marks and punctuation`(name: String, typed: String) throws {
        let folder = try TemporaryFolder()
        let row = Fixture.Row(id: 1, name: name, latitude: 1, longitude: 1, country: "FR")
        guard case .match(let match) = try Fixture.gazetteer(in: folder, rows: [row]).forward(typed) else {
            Issue.record("\(typed) does not find \(name)")
            return
        }
        #expect(match.place?.name == name)
    }

    @Test func `keeps the marks that distinguish kana`() throws {
        let folder = try TemporaryFolder()
        let row = Fixture.Row(id: 1, name: "がく", latitude: 1, longitude: 1, country: "FR")
        #expect(try Fixture.gazetteer(in: folder, rows: [row]).forward("かく").suggestions != nil)
    }

    @Test func `names the candidates of an ambiguous text, the largest first`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        for text in ["Springfield", "springfield, usa"] {
            guard case .ambiguous(let candidates) = gazetteer.forward(text) else {
                Issue.record("\(text) is not ambiguous")
                return
            }
            #expect(candidates.map(\.admin1?.code) == ["US.MO", "US.IL"])
            #expect(candidates[0].score > candidates[1].score)
            #expect(abs(candidates.reduce(0) { $0 + $1.score } - 1) < 1e-9)
        }
    }

    @Test(arguments: [
        "", " ", ",", ",,,", "Atlantis", "Seattle, France", "Paris Nowhere", "Old Suva",
        "United Kingdom", "\u{0}", "\u{308}", String(repeating: "a", count: 5_000), "Springfield, WA",
    ])
    func `says so where nothing matches`(text: String) throws {
        let folder = try TemporaryFolder()
        #expect(try Fixture.gazetteer(in: folder).forward(text).suggestions != nil)
    }
}
