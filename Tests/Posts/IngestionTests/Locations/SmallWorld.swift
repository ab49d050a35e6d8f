import FoundationEssentials
import Gazetteer
import TestKit
import Testing

/// A made-up gazetteer: a metropolis with sections and suburbs, towns that share a point, hamlets, and a section that
/// belongs to no place.
enum SmallWorld {
    struct Row {
        var id: Int
        var name: String
        var latitude: Double
        var longitude: Double
        var feature = "PPL"
        var country = "DE"
        var admin1 = "16"
        var population: Int

        var line: String {
            [
                "\(id)", name, name, "", "\(latitude)", "\(longitude)", "P", feature, country, "", admin1, "",
                "",
                "", "\(population)", "", "", country == "DE" ? "Europe/Berlin" : "Europe/Oslo", "",
            ].joined(separator: "\t") + "\n"
        }
    }

    static let berlin = 1
    static let kreuzberg = 2

    static let rows: [Row] = [
        Row(
            id: berlin, name: "Berlin", latitude: 52.52437, longitude: 13.41053, feature: "PPLC",
            population: 3_426_354),
        Row(
            id: kreuzberg, name: "Kreuzberg", latitude: 52.49973, longitude: 13.40338, feature: "PPLX",
            population: 153_135),
        Row(
            id: 3, name: "Nikolaiviertel", latitude: 52.5167, longitude: 13.4072, feature: "PPLX",
            population: 0),
        Row(id: 4, name: "Spandau", latitude: 52.5511, longitude: 13.1999, population: 223_305),
        Row(
            id: 5, name: "Potsdam", latitude: 52.39886, longitude: 13.06566, feature: "PPLA", admin1: "11",
            population: 182_112),
        // The look-up at their shared point names the one with more inhabitants.
        Row(id: 6, name: "Obertwin", latitude: 52.9, longitude: 13.9, admin1: "11", population: 900),
        Row(id: 7, name: "Untertwin", latitude: 52.9, longitude: 13.9, admin1: "11", population: 4_000),
        Row(id: 8, name: "Weiler", latitude: 52.93, longitude: 13.95, admin1: "11", population: 12),
        Row(
            id: 9, name: "Oslo", latitude: 59.91273, longitude: 10.74609, feature: "PPLC", country: "NO",
            admin1: "12", population: 1_082_575),
        // One polygon holds Oslo and this, which is Akershus'.
        Row(
            id: 10, name: "Lysaker", latitude: 59.91273, longitude: 10.64, country: "NO", admin1: "39",
            population: 13_000),
        Row(
            id: 11, name: "Ensom", latitude: 61.2, longitude: 9.1, feature: "PPLX", country: "NO",
            admin1: "39", population: 700),
        Row(
            id: 12, name: "Stille", latitude: 61.22, longitude: 9.1, country: "NO", admin1: "39",
            population: 300),
    ]

    static func row(_ id: Int) throws -> Row { try #require(rows.first { $0.id == id }) }

    /// Which city each place belongs to; a place that is not here is its own.
    static let cities = [kreuzberg: berlin, 3: berlin, 4: berlin, 11: 12]

    static func with<T>(adding more: [Row] = [], _ body: (Gazetteer) async throws -> T) async throws -> T {
        let rows = rows + more
        let lines = rows.map(\.line).joined()
        return try await withTemporaryDirectory { folder in
            for (name, text) in [
                ("cities500.txt", lines), ("countryInfo.txt", countries), ("admin1CodesASCII.txt", divisions),
                ("countries.geojson", borders), ("divisions.geojson", divisionBorders),
                ("timezones.geojson", zones),
            ] {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            let inputs = try GazetteerInput.inputs(inFolder: folder)
            _ = try GazetteerBuilder(inputs: inputs).build(to: "\(folder)/index")
            return try await body(try Gazetteer(path: "\(folder)/index"))
        }
    }

    private static let countries = [
        ("DE", "DEU", "Germany", "Berlin", 2_921_044), ("NO", "NOR", "Norway", "Oslo", 3_144_096),
    ].map { "\($0)\t\($1)\t0\t\t\($2)\t\($3)\t1\t1\tEU\t.x\tXXX\tX\t1\t\t\t\t\($4)\t\t\n" }.joined()

    private static let divisions = """
        DE.16\tState of Berlin\tState of Berlin\t2950157
        DE.11\tBrandenburg\tBrandenburg\t2945356
        NO.12\tOslo County\tOslo County\t3143242
        NO.39\tAkershus\tAkershus\t0

        """

    private static func square(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> String {
        "[[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]]]"
    }

    private static func collection(_ features: [(properties: String, coordinates: String)]) -> String {
        let features = features.map {
            #"{"type":"Feature","properties":{\#($0.properties)},"geometry":{"type":"Polygon","coordinates":\#($0.coordinates)}}"#
        }
        return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }

    private static let borders = collection([
        (#""ISO_A2":"DE""#, square(12, 52, 15, 53.5)), (#""ISO_A2":"NO""#, square(8, 58, 12, 62)),
    ])

    private static let zones = collection([
        (#""tzid":"Europe/Berlin""#, square(12, 52, 15, 53.5)),
        (#""tzid":"Europe/Oslo""#, square(8, 58, 12, 62)),
    ])

    /// One polygon around Oslo and Lysaker, which is Akershus', and Brandenburg on two sides of Berlin.
    private static let divisionBorders = collection([
        (
            #""iso_a2":"DE","name":"Berlin","gn_a1_code":"DE.16","iso_3166_2":"DE-BE""#,
            square(13.1, 52.3, 13.8, 52.7)
        ),
        (
            #""iso_a2":"DE","name":"Brandenburg","gn_a1_code":"DE.11","iso_3166_2":"DE-BB""#,
            square(12, 52, 13.1, 53.5)
        ),
        (
            #""iso_a2":"DE","name":"Brandenburg","gn_a1_code":"DE.11","iso_3166_2":"DE-BB""#,
            square(13.8, 52, 15, 53.5)
        ),
        (
            #""iso_a2":"NO","name":"Akershus","gn_a1_code":"NO.39","iso_3166_2":"NO-39""#,
            square(8, 58, 12, 62)
        ),
    ])
}

func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
}
