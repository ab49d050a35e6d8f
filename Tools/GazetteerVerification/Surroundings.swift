package import Gazetteer
import Glibc

/// Which places keep their name, or that of the city that they are part of, at one distance from their own points.
///
/// It asks in eight directions around every place, so it shows a city that reaches too far: at a place's own point, the
/// place is always the nearest.
package struct Surroundings: Sendable {
    /// A place that loses its name to a city although nothing is nearer, in so many directions.
    package struct Loss: Sendable, Hashable {
        package let place: Place
        package let directions: Int
        /// The last of the cities that are named instead.
        package let city: Place?
    }

    /// How far from the places it asked, in metres.
    package let metres: Double
    /// How many points it asked.
    package private(set) var points = 0
    /// Points in another division or country than the place's.
    package private(set) var abroad = 0
    /// Points to which another place, or a section of one, is nearer.
    package private(set) var nearerToOthers = 0
    package private(set) var losses: [Loss] = []

    /// Points at which a place loses its name.
    package var lost: Int { losses.reduce(0) { $0 + $1.directions } }

    static let directions = 8

    package init(of gazetteer: Gazetteer, metres: Double) {
        self.metres = metres
        for number in 0..<gazetteer.info.placeCount { ask(number, gazetteer) }
    }

    private mutating func ask(_ number: Int, _ gazetteer: Gazetteer) {
        let own = gazetteer.coordinate(ofPlace: number)
        let city = gazetteer.city(ofPlace: number)
        var lost = 0
        var other: Place?
        for direction in 0..<Self.directions {
            let bearing = Double(direction) * 2 * .pi / Double(Self.directions)
            let point = own.moved(by: metres, bearing: bearing)
            let answer = gazetteer.reverse(point)
            let named = answer.city(at: point)
            points += 1
            if named?.city == city { continue }
            if answer.countryIndex != gazetteer.country(ofPlace: number)
                || answer.admin1Index != gazetteer.admin1(ofPlace: number)
            {
                abroad += 1
            } else if answer.placeIndex != number || named?.locality.map({ $0 != answer.place }) == true {
                nearerToOthers += 1
            } else {
                lost += 1
                other = named?.city
            }
        }
        if lost > 0 { losses.append(Loss(place: gazetteer.place(number), directions: lost, city: other)) }
    }
}

extension Coordinate {
    /// The point so many metres away, for small distances; the bearing is in radians, clockwise from north.
    fileprivate func moved(by metres: Double, bearing: Double) -> Coordinate {
        let degrees = metres / 111_195
        let east = longitude + sin(bearing) * degrees / max(cos(latitude * .pi / 180), 0.001)
        return Coordinate(
            clamping: latitude + cos(bearing) * degrees,
            east > 180 ? east - 360 : east < -180 ? east + 360 : east)
    }
}
