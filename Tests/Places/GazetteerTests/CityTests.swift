import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct CityTests {
    /// Name, latitude, longitude, feature, country, division, second-level division, population, from GeoNames of
    /// March 2026; Montmartre, Scarborough and the last two are made up for the test, close to the real ones.
    private typealias Line = (String, Double, Double, String, String, String, String, Int)

    private static let lines: [Line] = [
        ("Tokyo", 35.6895, 139.69171, "PPLC", "JP", "40", "", 9_733_276),
        ("Shinjuku", 35.69115, 139.70854, "PPLX", "JP", "40", "1852083", 349_385),
        ("Kawasaki", 35.52056, 139.71722, "PPLA2", "JP", "19", "1859635", 1_538_262),
        ("New York City", 40.71427, -74.00597, "PPL", "US", "NY", "", 8_804_190),
        ("Brooklyn", 40.6501, -73.94958, "PPLA2", "US", "NY", "047", 2_736_074),
        ("Queens", 40.68149, -73.83652, "PPLA2", "US", "NY", "081", 2_316_841),
        ("Manhattan", 40.78343, -73.96625, "PPLA2", "US", "NY", "061", 1_487_536),
        ("Harlem", 40.80788, -73.94542, "PPLX", "US", "NY", "061", 116_345),
        ("Yonkers", 40.9304, -73.89789, "PPL", "US", "NY", "119", 201_116),
        ("Jersey City", 40.72816, -74.07764, "PPLA2", "US", "NJ", "017", 264_290),
        ("Berlin", 52.52437, 13.41053, "PPLC", "DE", "16", "00", 3_426_354),
        ("Kreuzberg", 52.49973, 13.40338, "PPLX", "DE", "16", "00", 153_135),
        ("Potsdam", 52.39886, 13.06566, "PPLA", "DE", "11", "00", 182_112),
        ("Köln", 50.93333, 6.95, "PPLA2", "DE", "07", "053", 1_024_621),
        ("Bonn", 50.73438, 7.09549, "PPLA3", "DE", "07", "053", 330_579),
        ("Paris", 48.85341, 2.3488, "PPLC", "FR", "11", "75", 2_138_551),
        ("Montmartre", 48.8867, 2.3406, "PPLX", "FR", "11", "75", 200_000),
        ("Versailles", 48.80359, 2.13424, "PPLA2", "FR", "11", "78", 85_416),
        ("Boulogne-Billancourt", 48.83545, 2.24128, "PPLA3", "FR", "11", "92", 108_782),
        ("Toronto", 43.70643, -79.39864, "PPLA", "CA", "08", "", 2_794_356),
        ("Scarborough", 43.7731, -79.2578, "PPLX", "CA", "08", "", 629_941),
        ("San Francisco", 37.77493, -122.41942, "PPLA2", "US", "CA", "075", 827_526),
        ("Oakland", 37.80437, -122.2708, "PPLA2", "US", "CA", "001", 419_267),
        ("Boston", 42.35843, -71.05977, "PPLA", "US", "MA", "025", 653_833),
        ("Cambridge", 42.3751, -71.10561, "PPLA2", "US", "MA", "017", 110_402),
        ("Washington", 38.89511, -77.03637, "PPLC", "US", "DC", "001", 689_545),
        ("London", 51.50853, -0.12574, "PPLC", "GB", "ENG", "GLA", 8_961_989),
        ("Wrotham", 51.30742, 0.30853, "PPL", "GB", "ENG", "", 1_767),
        ("Mumbai", 19.07283, 72.88261, "PPLA", "IN", "16", "", 12_691_836),
        ("Thāne", 19.19704, 72.96355, "PPLA2", "IN", "16", "517", 1_841_488),
        ("Melbourne", -37.814, 144.96332, "PPLA", "AU", "07", "24600", 4_917_750),
        ("Sunbury", -37.57742, 144.72607, "PPLX", "AU", "07", "23270", 38_851),
        ("Diggers Rest", -37.62702, 144.7198, "PPL", "AU", "07", "24650", 3_000),
        ("Hong Kong", 22.27832, 114.17469, "PPLC", "HK", "", "", 7_491_609),
        ("Kowloon", 22.31667, 114.18333, "PPL", "HK", "KKC", "", 2_019_533),
        ("Nowhere Section", 10, 10, "PPLX", "US", "WA", "", 0),
        ("Lone Town", 10.02, 10, "PPL", "US", "WA", "", 900),
    ]

    private static let divisions = """
        US.WA\tWashington\tWashington\t5815135
        US.NY\tNew York\tNew York\t5128638
        US.NJ\tNew Jersey\tNew Jersey\t5101760
        US.CA\tCalifornia\tCalifornia\t5332921
        US.MA\tMassachusetts\tMassachusetts\t6254926
        US.DC\tDistrict of Columbia\tDistrict of Columbia\t4138106
        JP.40\tTokyo\tTokyo\t1850144
        JP.19\tKanagawa\tKanagawa\t1860291
        DE.16\tBerlin\tBerlin\t2950157
        DE.11\tBrandenburg\tBrandenburg\t2945356
        DE.07\tNorth Rhine-Westphalia\tNorth Rhine-Westphalia\t2861876
        FR.11\tÎle-de-France\tIle-de-France\t3012874
        CA.08\tOntario\tOntario\t6093943
        GB.ENG\tEngland\tEngland\t6269131
        IN.16\tMaharashtra\tMaharashtra\t1264418
        AU.07\tVictoria\tVictoria\t2145234
        HK.KKC\tKowloon City\tKowloon City\t0

        """

    private func build(_ folder: TemporaryFolder, hasSecondDivisions: Bool = true) throws -> Gazetteer {
        let rows = Self.lines.enumerated().map { index, line in
            [
                "\(index + 1)", line.0, "", "", "\(line.1)", "\(line.2)", "P", line.3, line.4, "", line.5,
                hasSecondDivisions ? line.6 : "", "", "", "\(line.7)", "", "", "", "",
            ].joined(separator: "\t") + "\n"
        }
        let countries =
            Fixture.countryInfo
            + "DE\tDEU\t0\t\tGermany\tBerlin\t1\t1\tEU\t.x\tXXX\tX\t1\t\t\t\t2921044\t\t\n"
            + "CA\tCAN\t0\t\tCanada\tOttawa\t1\t1\tNA\t.x\tXXX\tX\t1\t\t\t\t6251999\t\t\n"
            + "IN\tIND\t0\t\tIndia\tNew Delhi\t1\t1\tAS\t.x\tXXX\tX\t1\t\t\t\t1269750\t\t\n"
            + "AU\tAUS\t0\t\tAustralia\tCanberra\t1\t1\tOC\t.x\tXXX\tX\t1\t\t\t\t2077456\t\t\n"
            + "HK\tHKG\t0\t\tHong Kong\tHong Kong\t1\t1\tAS\t.x\tXXX\tX\t1\t\t\t\t1819730\t\t\n"
        let inputs = [
            GazetteerInput(.places, path: try folder.write(rows.joined(), to: "places.txt")),
            GazetteerInput(.admin1Codes, path: try folder.write(Self.divisions, to: "admin1.txt")),
            GazetteerInput(.countries, path: try folder.write(countries, to: "countries.txt")),
        ]
        _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder.path)/index")
        return try Gazetteer(path: "\(folder.path)/index")
    }

    private func city(of name: String, _ gazetteer: Gazetteer) throws -> CityAnswer {
        let line = try #require(Self.lines.first { $0.0 == name })
        let point = try coordinate(line.1, line.2)
        return try #require(gazetteer.reverse(point).city(at: point))
    }

    @Test(arguments: [
        ("Shinjuku", "Tokyo"), ("Brooklyn", "New York City"), ("Queens", "New York City"),
        // Through Manhattan.
        ("Harlem", "New York City"), ("Kreuzberg", "Berlin"), ("Montmartre", "Paris"),
        ("Scarborough", "Toronto"), ("Kowloon", "Hong Kong"),
    ])
    func `says the city of a part, and the part`(part: String, city: String) throws {
        let folder = try TemporaryFolder()
        let answer = try self.city(of: part, try build(folder))
        #expect(answer.city.name == city)
        #expect(answer.locality?.name == part)
    }

    @Test(arguments: [
        // Too large compared to the city, too far, or in another division.
        "Oakland", "Jersey City", "Versailles", "Potsdam", "Bonn", "Kawasaki", "Yonkers", "Cambridge",
        "Boulogne-Billancourt", "Tokyo", "New York City", "Paris", "Berlin", "Washington",
        // As large as a borough, but the city does not consist of such.
        "Thāne",
        // A section of no city, larger than the nearest place.
        "Sunbury",
    ])
    func `leaves separate cities alone`(name: String) throws {
        let folder = try TemporaryFolder()
        let answer = try city(of: name, try build(folder))
        #expect(answer.city.name == name)
        #expect(answer.locality == nil)
    }

    /// 45 km from London, whose radius is 25 km, Wrotham's own 350 m.
    @Test(arguments: [300.0, 700, 1_200, 1_500])
    func `leaves a village its surroundings`(metres: Double) throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(folder)
        for (north, east) in [(1.0, 0.0), (0, 1), (-1, 0), (0, -1)] {
            let point = try coordinate(
                51.30742 + north * metres / 111_195, 0.30853 + east * metres / 69_500)
            #expect(gazetteer.reverse(point).city(at: point)?.city.name == "Wrotham")
        }
        let far = try coordinate(51.33, 0.26)
        #expect(gazetteer.reverse(far).city(at: far)?.city.name == "London")
    }

    @Test func `names a section of no city by itself around it`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(folder)
        let street = try coordinate(-37.58, 144.73)
        let answer = gazetteer.reverse(street)
        #expect(answer.city(at: street)?.city.name == "Sunbury")
        let rest = try coordinate(-37.626, 144.72)
        #expect(gazetteer.reverse(rest).city(at: rest)?.city.name == "Diggers Rest")
    }

    /// What the rule's documentation says about tables without second-level divisions.
    @Test(arguments: [
        ("Boulogne-Billancourt", "Paris"), ("Cambridge", "Cambridge"), ("Versailles", "Versailles"),
    ])
    func `decides by distance where divisions are not known`(name: String, city: String) throws {
        let folder = try TemporaryFolder()
        let answer = try self.city(of: name, try build(folder, hasSecondDivisions: false))
        #expect(answer.city.name == city)
    }

    @Test func `names a section that belongs to no place next to the nearest place`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(folder)
        let answer = try city(of: "Nowhere Section", gazetteer)
        #expect(answer.city.name == "Lone Town")
        #expect(answer.locality?.name == "Nowhere Section")
        let town = try coordinate(10.02, 10)
        #expect(gazetteer.reverse(town).city(at: town)?.locality == nil)
        let sea = try coordinate(-40, -40)
        #expect(gazetteer.reverse(sea).city(at: sea) == nil)
    }

    @Test func `names the section nearest to a point, not farther than the place`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try build(folder)
        // Between Harlem's and Manhattan's points, nearer to Manhattan's.
        let park = try coordinate(40.79, -73.96)
        #expect(gazetteer.reverse(park).city(at: park)?.locality?.name == "Manhattan")
        let street = try coordinate(40.805, -73.947)
        #expect(gazetteer.reverse(street).city(at: street)?.locality?.name == "Harlem")
        #expect(gazetteer.reverse(street).city(at: street)?.city.name == "New York City")
    }
}
