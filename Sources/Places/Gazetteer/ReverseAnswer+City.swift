import Glibc

/// What people call the place at a point.
package struct CityAnswer: Sendable, Hashable {
    /// The city; if the town or village is not part of one, the town or village itself.
    package let city: Place
    /// The part of the city: a borough, suburb or section; nil if only the city is near.
    package let locality: Place?
}

extension Gazetteer {
    /// The number of the city that a place belongs to; nil if it belongs to none. See `CityRule`.
    func cityIndex(ofPlace place: Int) -> Int? {
        guard let section = sections[.cities] else { return nil }
        var low = 0
        var high = section.count / 8
        while low < high {
            let middle = (low + high) / 2
            let number = Int(section.integer(at: middle * 8, as: UInt32.self))
            if number == place {
                return existingPlace(Int(section.integer(at: middle * 8 + 4, as: UInt32.self)))
            }
            if number < place { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// A section of a place farther than this does not name a point.
    static let sectionCapMetres = 5_000.0

    /// The nearest section of a place, in a country and within a distance.
    func nearestSection(to coordinate: Coordinate, country: UInt16, within metres: Double) -> Int? {
        guard let section = sections[.localities] else { return nil }
        let span = metres / 111_000
        func place(_ index: Int) -> Int { Int(section.integer(at: index * 4, as: UInt32.self)) }
        let count = section.count / 4
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let isSouth = self.coordinate(ofPlace: place(middle)).latitude < coordinate.latitude - span
            if isSouth { low = middle + 1 } else { high = middle }
        }
        var best: (place: Int, metres: Double)?
        while low < count {
            let number = place(low)
            low += 1
            let there = self.coordinate(ofPlace: number)
            if there.latitude > coordinate.latitude + span { break }
            guard self.country(ofPlace: number) == country else { continue }
            let distance = there.distance(to: coordinate)
            if distance <= metres, distance < best?.metres ?? .infinity { best = (number, distance) }
        }
        return best?.place
    }
}

extension ReverseAnswer {
    /// The city at this answer's point, and the part of it; nil if no place is near.
    ///
    /// The nearest one decides, whether it is a place or a section of a place within 5 km.
    package func city(at coordinate: Coordinate) -> CityAnswer? {
        guard let placeIndex, let distanceMetres, let countryIndex else { return nil }
        let reach = min(distanceMetres, Gazetteer.sectionCapMetres)
        let section = gazetteer.nearestSection(to: coordinate, country: countryIndex, within: reach)
        let nearest = section ?? placeIndex
        guard let city = gazetteer.cityIndex(ofPlace: nearest) else {
            // A section that belongs to no place says where the point is, but not in which city.
            let own = gazetteer.cityIndex(ofPlace: placeIndex) ?? placeIndex
            return CityAnswer(
                city: gazetteer.place(own), locality: nearest == own ? nil : gazetteer.place(nearest))
        }
        return CityAnswer(city: gazetteer.place(city), locality: gazetteer.place(nearest))
    }
}
