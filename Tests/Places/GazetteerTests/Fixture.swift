import ChildProcess
import Gazetteer
import Glibc
import Testing

/// A folder that lives as long as the object.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try makeTemporaryFolder("gazetteer-tests")
    }

    deinit {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = "\(path)/\(name)"
        let stream = try #require(fopen(file, "w"))
        defer { fclose(stream) }
        try #require(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
        return file
    }

    func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    static func read(_ path: String) throws -> [UInt8] {
        let stream = try #require(fopen(path, "r"), "cannot open \(path)")
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}

/// Small inputs in GeoNames' formats.
enum Fixture {
    struct Row {
        var id: Int
        var name: String
        var ascii = ""
        var alternates = ""
        var latitude: Double
        var longitude: Double
        var feature = "PPL"
        var country: String
        var admin1 = ""
        var admin2 = ""
        var population = 0
        var zone = ""

        var line: String {
            [
                "\(id)", name, ascii, alternates, "\(latitude)", "\(longitude)", "P", feature, country, "",
                admin1, admin2,
                "", "", "\(population)", "", "", zone, "",
            ].joined(separator: "\t")
        }
    }

    static let rows: [Row] = [
        Row(
            id: 5_809_844, name: "Seattle", alternates: "SEA,Siehtl,シアトル", latitude: 47.60621,
            longitude: -122.33207,
            feature: "PPLA2", country: "US", admin1: "WA", population: 737_015, zone: "America/Los_Angeles"),
        Row(
            id: 5_793_933, name: "Fremont", latitude: 47.65, longitude: -122.35, feature: "PPLX",
            country: "US",
            admin1: "WA", population: 20_000, zone: "America/Los_Angeles"),
        Row(
            id: 4_250_542, name: "Springfield", latitude: 39.80172, longitude: -89.64371, feature: "PPLA",
            country: "US",
            admin1: "IL", population: 116_565, zone: "America/Chicago"),
        Row(
            id: 4_409_896, name: "Springfield", latitude: 37.21533, longitude: -93.29824, feature: "PPLA2",
            country: "US", admin1: "MO", population: 169_176, zone: "America/Chicago"),
        Row(
            id: 4_140_963, name: "Washington", latitude: 38.89511, longitude: -77.03637, feature: "PPLC",
            country: "US",
            admin1: "DC", population: 689_545, zone: "America/New_York"),
        Row(
            id: 5_391_959, name: "San Francisco", alternates: "SF,Frisco", latitude: 37.77493,
            longitude: -122.41942,
            feature: "PPLA2", country: "US", admin1: "CA", population: 864_816, zone: "America/Los_Angeles"),
        Row(
            id: 2_657_896, name: "Zürich", ascii: "Zuerich", alternates: "Zurigo,Zurich", latitude: 47.36667,
            longitude: 8.55, feature: "PPLA", country: "CH", admin1: "ZH", population: 341_730,
            zone: "Europe/Zurich"),
        Row(
            id: 2_988_507, name: "Paris", latitude: 48.85341, longitude: 2.3488, feature: "PPLC",
            country: "FR",
            population: 2_138_551, zone: "Europe/Paris"),
        Row(
            id: 4_717_560, name: "Paris", latitude: 33.66094, longitude: -95.55551, country: "US",
            admin1: "TX",
            population: 24_782, zone: "America/Chicago"),
        Row(
            id: 1_850_147, name: "Tokyo", alternates: "東京,東京都", latitude: 35.6895, longitude: 139.69171,
            feature: "PPLC", country: "JP", admin1: "40", population: 9_733_276, zone: "Asia/Tokyo"),
        Row(
            id: 3_621_849, name: "San José", latitude: 9.93333, longitude: -84.08333, feature: "PPLC",
            country: "CR",
            admin1: "08", population: 335_007, zone: "America/Costa_Rica"),
        Row(
            id: 4_035_715, name: "Waiyevo", latitude: -16.78783, longitude: -179.97984, country: "FJ",
            population: 300, zone: "Pacific/Fiji"),
        Row(
            id: 2_198_148, name: "Suva", latitude: -18.14161, longitude: 178.44149, feature: "PPLC",
            country: "FJ",
            population: 77_366, zone: "Pacific/Fiji"),
        Row(
            id: 6_696_480, name: "South Pole Station", latitude: -90, longitude: 0, country: "AQ",
            population: 45),
        Row(
            id: 7_000_001, name: "Old Suva", latitude: -18.2, longitude: 178.5, feature: "PPLH", country: "FJ"
        ),
        Row(
            id: 7_000_002, name: "Drowned", latitude: 47.6062, longitude: -122.332, feature: "PPLW",
            country: "US"),
    ]

    static let admin1Codes = """
        US.WA\tWashington\tWashington\t5815135
        US.IL\tIllinois\tIllinois\t4896861
        US.MO\tMissouri\tMissouri\t4398678
        US.DC\tDistrict of Columbia\tDistrict of Columbia\t4138106
        US.CA\tCalifornia\tCalifornia\t5332921
        US.TX\tTexas\tTexas\t4736286
        CH.ZH\tZürich\tZurich\t2657895
        JP.40\tTokyo\tTokyo\t1850144
        CR.08\tSan José\tSan Jose\t3621837

        """

    static let countries: [(String, String, String, String, Int)] = [
        ("US", "USA", "United States", "Washington", 6_252_001),
        ("CH", "CHE", "Switzerland", "Bern", 2_658_434),
        ("FR", "FRA", "France", "Paris", 3_017_382), ("JP", "JPN", "Japan", "Tokyo", 1_861_060),
        ("CR", "CRI", "Costa Rica", "San Jose", 3_624_060), ("FJ", "FJI", "Fiji", "Suva", 2_205_218),
        ("AQ", "ATA", "Antarctica", "", 6_697_173), ("GB", "GBR", "United Kingdom", "London", 2_635_167),
        ("IE", "IRL", "Ireland", "Dublin", 2_963_597),
    ]

    static let countryInfo =
        "#ISO\tISO3\tand so on\n"
        + countries.map { code, iso3, name, capital, id in
            "\(code)\t\(iso3)\t0\t\t\(name)\t\(capital)\t1\t1\tEU\t.x\tXXX\tX\t1\t\t\t\t\(id)\t\t\n"
        }.joined()

    static let subdivisions = "US.WA\tWashington\tUS-WA\t1\nJP.40\tTokyo\tJP-13\t1\n"

    static func inputs(
        in folder: TemporaryFolder, rows: [Row] = rows, admin1Codes: String = admin1Codes,
        borders: String? = nil, divisions: String? = nil
    ) throws -> [GazetteerInput] {
        var inputs = [
            GazetteerInput(
                .places, path: try folder.write(rows.map { $0.line + "\n" }.joined(), to: "places.txt"),
                date: "2026-01-02"),
            GazetteerInput(.admin1Codes, path: try folder.write(admin1Codes, to: "admin1.txt")),
            GazetteerInput(.countries, path: try folder.write(countryInfo, to: "countries.txt")),
            GazetteerInput(.subdivisions, path: try folder.write(subdivisions, to: "subdivisions.tsv")),
        ]
        if let borders {
            inputs.append(
                GazetteerInput(.countryBorders, path: try folder.write(borders, to: "borders.geojson")))
        }
        if let divisions {
            inputs.append(
                GazetteerInput(.divisionBorders, path: try folder.write(divisions, to: "divisions.geojson")))
        }
        return inputs
    }

    /// Builds and opens an index of the rows; the folder holds it as "index".
    static func gazetteer(
        in folder: TemporaryFolder, rows: [Row] = rows, admin1Codes: String = admin1Codes,
        borders: String? = nil, divisions: String? = nil
    ) throws -> Gazetteer {
        let path = "\(folder.path)/index"
        let inputs = try inputs(
            in: folder, rows: rows, admin1Codes: admin1Codes, borders: borders, divisions: divisions)
        _ = try GazetteerBuilder(inputs: inputs).build(to: path)
        return try Gazetteer(path: path)
    }
}

func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}

extension Fixture {
    static func square(west: Double, south: Double, east: Double, north: Double) -> String {
        "[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]]"
    }

    static func feature(_ properties: String, _ type: String, _ coordinates: String) -> String {
        #"{"type":"Feature","properties":{\#(properties)},"geometry":{"type":"\#(type)","coordinates":\#(coordinates)}}"#
    }

    /// Switzerland as a square with a hole, which is Britain's; France to the west, and a French square in the
    /// Pacific that Fiji's places overrule; Fiji on both sides of the antimeridian; the cap of Antarctica; and a
    /// claim that belongs to no country.
    static let borders =
        #"{"type":"FeatureCollection","bbox":[-180,-90,180,90],"features":["#
        + [
            feature(
                #""ISO_A2":"CH","N":1,"x":null,"y":{"a":[true,false]}"#, "Polygon",
                "[\(square(west: 8, south: 46, east: 10, north: 48)),\(square(west: 9, south: 46.5, east: 9.5, north: 47))]"
            ),
            feature(
                #""ISO_A2":"-99","ISO_A3":"-99","ADMIN":"France""#, "MultiPolygon",
                "[[\(square(west: 2, south: 46, east: 8, north: 49))],"
                    + "[\(square(west: 178, south: -19, east: 179, north: -18))]]"),
            feature(
                #""iso_a2":"FJ""#, "MultiPolygon",
                "[[\(square(west: 179, south: -17, east: 180, north: -16))],"
                    + "[\(square(west: -180, south: -17, east: -179.9, north: -16))]]"),
            feature(
                #""ISO_A3":"ATA""#, "Polygon", "[\(square(west: -180, south: -90, east: 180, north: -80))]"),
            feature(
                #""name":"Bajo Nuevo Bank""#, "Polygon",
                "[\(square(west: -80, south: 15, east: -79, north: 16))]"),
            #"{"type":"Feature","properties":null,"geometry":null}"#,
        ].joined(separator: ",\n") + "]}"
}
