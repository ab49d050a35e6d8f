import Gazetteer
import Imaging
import Ingestion
import Posts
import TestKit
import Testing

/// A typed place stays the place that was typed, whatever a look-up at its coordinate names.
@Suite("A typed place", .timeLimit(.minutes(15)))
struct TypedPlaceTests {
    static func location(_ text: String, in gazetteer: Gazetteer) throws -> Location {
        try Location.find(coordinates: nil, typed: TypedPlace(text), gps: .absent, gazetteer: gazetteer)
    }

    static func published(
        _ location: Location, _ privacy: PrivacyLevel = .grid10m, minimumPopulation: Int = 0,
        in gazetteer: Gazetteer
    ) -> PublishedLocation {
        PublishedLocation(
            of: location.coordinate, typed: location.typedPlace.flatMap { gazetteer.answer(for: $0) },
            precision: location.precision, privacy: privacy, minimumPopulation: minimumPopulation,
            gazetteer: gazetteer)
    }

    @Test(
        "is published by its own number, name and coordinate, at every level, with its own city above it",
        arguments: PrivacyLevel.allCases)
    func every(privacy: PrivacyLevel) async throws {
        try await SmallWorld.with { (gazetteer: Gazetteer) async throws -> Void in
            for row in SmallWorld.rows {
                let location = try Self.location("\(row.name), \(row.country)", in: gazetteer)
                let published = Self.published(location, privacy, in: gazetteer)
                #expect(location.typedPlace == row.id && location.source == .text)
                #expect(
                    published.place.place
                        == .init(geonameid: Int64(row.id), name: row.name, distanceMetres: 0))
                #expect(published.coordinate == (try point(row.latitude, row.longitude)), "\(row.name)")
                #expect(published.place.country?.code == row.country)
                #expect(published.place.division?.code == "\(row.country).\(row.admin1)", "\(row.name)")
                let city = try SmallWorld.row(SmallWorld.cities[row.id] ?? row.id)
                #expect(
                    published.place.city == .init(geonameid: Int64(city.id), name: city.name), "\(row.name)")
                #expect(published.timeZone == (row.country == "DE" ? "Europe/Berlin" : "Europe/Oslo"))
            }
            // What a look-up names there instead.
            #expect(gazetteer.reverse(try point(52.9, 13.9)).place?.name == "Untertwin")
        }
    }

    @Test("gives way to a larger one if the policy says so", arguments: PrivacyLevel.allCases)
    func tooSmall(privacy: PrivacyLevel) async throws {
        try await SmallWorld.with { (gazetteer: Gazetteer) async throws -> Void in
            for minimum in [1, 500, 5_000, 200_000, 10_000_000] {
                for row in SmallWorld.rows {
                    let location = try Self.location("\(row.name), \(row.country)", in: gazetteer)
                    let place = Self.published(
                        location, privacy, minimumPopulation: minimum, in: gazetteer
                    ).place
                    if row.population >= minimum {
                        #expect(place.place?.geonameid == Int64(row.id))
                    } else if let named = place.place {
                        #expect(try SmallWorld.row(Int(named.geonameid)).population >= minimum)
                    }
                    if let city = place.city {
                        #expect(try SmallWorld.row(Int(city.geonameid)).population >= minimum)
                    }
                    #expect(place.country?.code == row.country)
                }
            }
        }
    }

    @Test(
        "that is a division or country names no town, at every level, and the time zone that all of it has",
        arguments: PrivacyLevel.allCases)
    func areas(privacy: PrivacyLevel) async throws {
        try await SmallWorld.with { (gazetteer: Gazetteer) async throws -> Void in
            for minimum in [0, 500] {
                for (number, text, zone) in [
                    (2_945_356, "Brandenburg, Germany", "Europe/Berlin"),
                    (2_921_044, "Germany", "Europe/Berlin"),
                    (3_144_096, "Norway", "Europe/Oslo"),
                ] {
                    let location = try Self.location(text, in: gazetteer)
                    let published = Self.published(
                        location, privacy, minimumPopulation: minimum, in: gazetteer)
                    #expect(published.place.text == text)
                    #expect(published.coordinate == location.coordinate)
                    #expect(published.timeZone == zone)
                    #expect(published.place.isOf(Int64(number)))
                }
            }
        }
    }
}
