import TestKit
import Testing

@testable import Gazetteer

/// Islands and sights, which the tables name by their town.
@Suite(.computing) struct TownAliasTests {
    // The fixtures' countries have no Greece.
    private static let rows =
        Fixture.rows + [
            row(400_666, "Ródos", "FR", 36.43556, 28.22199, population: 56_128),
            row(11, "Líndos", "FR", 36.09102, 28.08571, population: 800),
            row(12, "Lindos", "US", 36, -89, population: 900),
            row(2_151_683, "Rhodes", "CH", 45, -75, population: 11_453),
            row(252_920, "Firá", "FR", 36.42107, 25.43087, population: 2_376),
            row(13, "Megalóchori", "FR", 36.37, 25.43, population: 500),
            // On another island, 60 km away.
            row(14, "Oia", "FR", 36.95, 25.38, population: 900),
            row(2_643_743, "London", "GB", 51.50853, -0.12574, population: 8_961_989),
            row(2_646_517, "Hounslow", "GB", 51.46839, -0.36092, population: 66_292),
            row(2_512_989, "Palma", "FR", 39.56939, 2.65024, population: 438_234),
            row(148_730, "Zanzibar", "FR", 45.84, 4.8, population: 709_809),
            row(5_848_652, "Kaunakakai", "US", 21.09, -157.02, "CA", population: 3_425),
            row(15, "Maunaloa", "US", 21.13, -157.22, "CA", population: 400),
            row(16, "Lahaina", "US", 20.95, -156.8, "TX", population: 400),
            row(2_562_619, "Rabat", "US", 36.04, -100.24, "CA", population: 6_596),
            row(17, "Xaghra", "US", 36.05, -100.27, "TX", population: 4_000),
            row(2_657_355, "Amesbury", "GB", 51.17509, -1.78064, population: 10_116),
            row(1_279_259, "Agra", "FR", 27.18333, 78.01667, population: 1_430_055),
            row(18, "Long Beach", "US", 33.77, -118.19, "CA", population: 466_742),
            row(2_810_284, "Westerland", "FR", 54.9079, 8.30326, population: 9_000),
            row(19, "Sylt", "US", 40, -100, population: 3_900),
            row(2_645_198, "Kirkwall", "GB", 58.98479, -2.95873, population: 7_420),
            row(20, "Orkney", "US", 41, -100, population: 73_000),
            row(21, "Island", "US", 48, -122.6, "WA", population: 700),
            row(22, "Sylt Island", "US", 31, -92, "TX", population: 500),
            row(23, "Fiji Island", "US", 31, -93, "TX", population: 500),
            row(4_158_296, "Heathrow", "US", 28.76333, -81.37225, population: 5_896),
        ]

    private static func row(
        _ id: Int, _ name: String, _ country: String, _ latitude: Double, _ longitude: Double,
        _ admin1: String = "", population: Int
    ) -> Fixture.Row {
        Fixture.Row(
            id: id, name: name, latitude: latitude, longitude: longitude, country: country,
            admin1: admin1, population: population)
    }

    @Test(
        arguments: [
            ("Santorini", 252_920), ("santorin", 252_920), ("Санторини", 252_920),
            ("Santorini, France", 252_920),
            ("the Mallorca", 2_512_989), ("Rhodes, FR", 400_666), ("Rhodes, Switzerland", 2_151_683),
            ("London Heathrow", 2_646_517),
            ("Heathrow Airport, London", 2_646_517), ("Heathrow, US", 4_158_296),
        ] as [(String, Int)])
    func `an island is its town`(text: String, town: Int) throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward(text).match?.geonameid == town)
    }

    @Test func `a town that is called like an island is asked about`() throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward("Sylt Island").candidates?.compactMap(\.geonameid) == [2_810_284, 22])
        #expect(gazetteer.forward("Fiji Island").match?.country?.code == "FJ")
    }

    @Test(
        arguments: [
            ("Sylt (island)", 2_810_284), ("Sylt, Island", 2_810_284),
            ("Sylt Island, France", 2_810_284), ("Sylt Island, Texas", 22), ("Sylt Island, CH", nil),
            ("Island, WA", 21), ("Seattle Island", nil),
        ] as [(String, Int?)])
    func `a village that is called like an island does not hide it`(text: String, town: Int?) throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward(text).match?.geonameid == town)
    }

    @Test func `a smaller town does not hide the one that is called so abroad`() throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward("Rhodes").candidates?.compactMap(\.geonameid) == [400_666, 2_151_683])
        #expect(gazetteer.forward("Orkney").candidates?.compactMap(\.geonameid) == [20, 2_645_198])
        #expect(gazetteer.forward("Sylt").match?.geonameid == 2_810_284)
        #expect(gazetteer.forward("Orkney", country: "US").match?.geonameid == 20)
        // A hint that speaks for neither says nothing of them.
        #expect(
            gazetteer.forward("Orkney", country: "CH").candidates?.compactMap(\.geonameid) == [20, 2_645_198])
        #expect(
            gazetteer.forward("Orkney", near: Coordinate(latitude: 51.5, longitude: -0.12)!)
                .candidates?.compactMap(\.geonameid) == [20, 2_645_198])
        #expect(gazetteer.forward("Sylt", country: "JP").match?.geonameid == 2_810_284)
        #expect(gazetteer.forward("Heathrow").candidates?.compactMap(\.geonameid) == [2_646_517, 4_158_296])
        #expect(gazetteer.forward("Heathrow", country: "US").match?.geonameid == 4_158_296)
    }

    @Test(
        arguments: [
            ("Lindos, Rhodes", 11), ("lindos rhodes", 11), ("Megalochori, Santorini", 13),
            ("Fira, Santorini", 252_920), ("Oia, Santorini", nil),
            ("Lindos, Rodos", 11), ("Kirkwall, Orkney", 2_645_198), ("Rodos City", 400_666),
            ("Molokai City", 5_848_652), ("Molokai (city)", 5_848_652),
            // What is in another division is across the water, unless the island has several.
            ("Maunaloa, Molokai", 15), ("Lahaina, Molokai", nil), ("Xaghra, Gozo", 17),
            // What is not known is not in the island's town, but may be in a town that is called like its island.
            ("Beach Hotel, Mallorca", nil), ("Old Fort, Mallorca", nil), ("Beach Hotel, Palma", 2_512_989),
            ("Carrer Major 5, Mallorca", nil), ("Hotel, 07590 Mallorca", nil),
            ("Beach Hotel, Insel Mallorca", nil), ("Lindos, Rhodes Island", 11),
            ("House of Wonders, Zanzibar", 148_730), ("Hotel Plaza, Rhodos", 400_666),
            ("Terminal 5, London Heathrow", 2_646_517),
        ] as [(String, Int?)])
    func `an island says where a town is`(text: String, town: Int?) throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward(text).match?.geonameid == town)
    }

    @Test(
        arguments: [
            ("Stonehenge", 2_657_355), ("Stonehenge, Amesbury", 2_657_355),
            ("Stonehenge, Amesbury, GB", 2_657_355), ("Taj Mahal", 1_279_259), ("Agra, Taj Mahal", 1_279_259),
            // A restaurant.
            ("Taj Mahal, London", 2_643_743), ("Taj Mahal Hotel, London", 2_643_743),
            ("Taj Mahal, Long Beach", 18), ("Mallorca, London", 2_643_743),
            ("Agra, London", nil), ("London, Taj Mahal", nil), ("Hounslow, Amesbury", nil),
            ("Hounslow, Agra", nil),
        ] as [(String, Int?)])
    func `a sight is its town, unless another town is said`(text: String, town: Int?) throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward(text).match?.geonameid == town)
    }

    /// Every town of the table, and nothing else.
    private static func everyTown() throws -> Gazetteer {
        let rows = TownAliases.byTown.keys.sorted().enumerated().map { place, town in
            row(Int(town), "Town \(town)", "US", Double(place) / 2 - 40, 10, population: 10_000)
        }
        return try Fixture.gazetteer(in: TemporaryFolder(), rows: rows)
    }

    @Test func `every name leads to its town`() throws {
        let gazetteer = try Self.everyTown()
        for (town, alias) in TownAliases.byTown {
            for name in alias.names {
                #expect(gazetteer.forward(name).match?.geonameid == Int(town), "\(name)")
            }
        }
    }

    @Test func `an island may be called one`() throws {
        let gazetteer = try Self.everyTown()
        for (town, alias) in TownAliases.byTown {
            for name in alias.names {
                var texts = [
                    "\(name) Island", "island of \(name)", "Insel \(name)", "Île de \(name)",
                    "Isla de \(name)",
                    "isola di \(name)", "Ilha da \(name)", "Pulau \(name)", "Остров \(name)",
                    "Die Insel \(name)", "the island of \(name)", "L'île de \(name)", "\(name) (island)",
                    "\(name) adası", "\(name), Isla",
                ]
                if "AEIOU".contains(name.first ?? " "), !name.hasPrefix("El ") {
                    texts += ["Île d'\(name)", "isola d’\(name)"]
                }
                if name.unicodeScalars.contains(where: { $0.value >= 0x3000 }) {
                    texts += ["\(name)島", "\(name)岛", "\(name) 島"]
                }
                for text in texts {
                    let match = gazetteer.forward(text).match
                    #expect(match?.geonameid == (alias.reach == nil ? nil : Int(town)), "\(text)")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("Island of Fiji", "Fiji"), ("Fiji Island, FJ", "Fiji"),
            ("Switzerland Island", nil), ("Isola di France", nil), ("Insel Costa Rica", nil),
            // Neither a division that is no island, nor a town or county of its name.
            ("Washington Island", nil), ("Washington Islands", nil), ("Seattle Island", nil),
            ("Insel Fiji, Japan", nil),
            ("Insel Tokyo", nil), ("Long Beach Island", nil),
            ("Hounslow Island", nil),
            // Iceland.
            ("Island", nil), ("Isla de", nil), ("of Fiji", nil), ("岛", nil),
            ("Fiji Islands", "Fiji"),
            ("Fiji (island)", "Fiji"), ("Fiji, Isla", "Fiji"),
            // A word before an island is in the same part.
            ("Ostrov, Fiji", nil), ("Koh, Fiji", nil),
        ] as [(String, String?)])
    func `a country of islands may be called one`(text: String, name: String?) throws {
        let gazetteer = try Fixture.gazetteer(in: TemporaryFolder(), rows: Self.rows)
        #expect(gazetteer.forward(text).match?.country?.name == name)
    }
}
