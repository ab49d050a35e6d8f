import Gazetteer
import TestKit
import Testing

@Suite(.computing) struct ReverseTests {
    @Test(
        arguments: [
            (47.6, -122.3, "Seattle", "US", "US.WA"),
            (48.86, 2.35, "Paris", "FR", nil),
            // On either side of the antimeridian, and on it.
            (-16.79, 179.99, "Waiyevo", "FJ", nil),
            (-16.79, -179.99, "Waiyevo", "FJ", nil),
            (-16.79, 180, "Waiyevo", "FJ", nil),
            (-16.79, -180, "Waiyevo", "FJ", nil),
            // At a pole every longitude is the same point.
            (-90, 0, "South Pole Station", "AQ", nil),
            (-90, 123, "South Pole Station", "AQ", nil),
            (-89.9, -77, "South Pole Station", "AQ", nil),
        ] as [(Double, Double, String, String, String?)])
    func `names the nearest place`(
        latitude: Double, longitude: Double, place: String, country: String, admin1: String?
    ) throws {
        let folder = try TemporaryFolder()
        let answer = try Fixture.gazetteer(in: folder).reverse(coordinate(latitude, longitude))
        #expect(answer.place?.name == place)
        #expect(answer.country?.code == country)
        #expect(answer.admin1?.code == admin1)
        #expect(answer.certainty == .nearestPlace)
    }

    @Test(arguments: [(0.0, 0.0), (90.0, 0.0), (-40.0, -120.0)])
    func `is remote if no place is near`(latitude: Double, longitude: Double) throws {
        let folder = try TemporaryFolder()
        let answer = try Fixture.gazetteer(in: folder).reverse(coordinate(latitude, longitude))
        #expect(answer.certainty == .remote)
        #expect(answer.country == nil && answer.admin1 == nil && answer.place == nil)
        #expect(answer.distanceMetres == nil)
    }

    @Test func `fills every field of a place`() throws {
        let folder = try TemporaryFolder()
        let answer = try Fixture.gazetteer(in: folder).reverse(coordinate(9.93333, -84.08333))
        let place = try #require(answer.place)
        #expect(place.geonameid == 3_621_849)
        #expect(place.name == "San José")
        #expect(place.population == 335_007)
        #expect(place.timeZone == "America/Costa_Rica")
        #expect(place.coordinate == Coordinate(latitude: 9.93333, longitude: -84.08333))
        #expect(answer.country == Country(code: "CR", name: "Costa Rica"))
        #expect(answer.admin1 == Admin1(code: "CR.08", name: "San José"))
        #expect(try #require(answer.distanceMetres) < 1)
    }

    @Test func `ignores sections and places that no longer exist`() throws {
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder)
        #expect(try gazetteer.reverse(coordinate(47.65, -122.35)).place?.name == "Seattle")
        #expect(try gazetteer.reverse(coordinate(47.6062, -122.332)).place?.name == "Seattle")
        #expect(try gazetteer.reverse(coordinate(-18.2, 178.5)).place?.name == "Suva")
    }

    @Test(arguments: [
        // One degree of a great circle is π R / 180; the antipode is π R away.
        (0.0, 0.0, 0.0, 1.0, 111_195.08), (0.0, 179.5, 0.0, -179.5, 111_195.08),
        (90.0, 10.0, 89.0, 99.0, 111_195.08),
        (0.0, 0.0, 0.0, 180.0, 20_015_114.44), (51.5, -0.1, 51.5, -0.1, 0.0),
    ])
    func `measures great-circle arcs`(
        latitude: Double, longitude: Double, otherLatitude: Double, otherLongitude: Double, metres: Double
    ) throws {
        let distance = try coordinate(latitude, longitude).distance(
            to: coordinate(otherLatitude, otherLongitude))
        #expect(abs(distance - metres) < 0.01)
    }

    @Test(
        arguments: [(90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .nan), (.infinity, 0)]
            as [(Double, Double)])
    func `refuses invalid coordinates`(latitude: Double, longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }

    @Test func `agrees with a search of every place`() throws {
        var random = SplitMix(state: 7)
        var rows = (1...700).map { id in
            Fixture.Row(
                id: id, name: "P\(id)", latitude: random.degrees(90), longitude: random.degrees(180),
                country: "FR")
        }
        // Dense clusters at awkward spots, and places that share a point or an axis value.
        for id in 701...900 {
            let (latitude, longitude) = [(89.99, 0.0), (-89.99, 0.0), (0.0, 179.99), (10.0, 20.0)][id % 4]
            rows.append(
                Fixture.Row(
                    id: id, name: "P\(id)",
                    latitude: id % 3 == 0 ? latitude : latitude + random.degrees(0.01),
                    longitude: id % 2 == 0 ? longitude : longitude + random.degrees(0.01), country: "FR"))
        }
        let folder = try TemporaryFolder()
        let gazetteer = try Fixture.gazetteer(in: folder, rows: rows)
        let places = try rows.map { try coordinate($0.latitude, $0.longitude) }
        for round in 0..<3_000 {
            let point =
                switch round % 4 {
                case 0: places[round % places.count]
                case 1: try coordinate((round % 8 < 4 ? 89.99 : -89.99), random.degrees(180))
                case 2: try coordinate(random.degrees(1), round % 8 < 4 ? 180 : -180)
                default: try coordinate(random.degrees(90), random.degrees(180))
                }
            let nearest = try #require(places.map { $0.distance(to: point) }.min())
            let answer = gazetteer.reverse(point)
            if nearest > Gazetteer.placeCapMetres {
                #expect(answer.certainty == .remote)
            } else {
                #expect(abs(try #require(answer.distanceMetres) - nearest) < 0.001)
            }
        }
    }
}

extension SplitMix {
    mutating func degrees(_ limit: Double) -> Double {
        (Double.random(in: -limit...limit, using: &self) * 1e5).rounded() / 1e5
    }
}
