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
        var best: (place: Int, metres: Double)?
        visit(sections[.localities] ?? .empty, near: coordinate, within: metres) { place in
            guard self.country(ofPlace: place) == country else { return }
            let distance = self.coordinate(ofPlace: place).distance(to: coordinate)
            if distance <= metres, distance < best?.metres ?? .infinity { best = (place, distance) }
        }
        return best?.place
    }

    /// The city of a country and division whose radius a point uses least of, and how much of it.
    func dominantCity(at coordinate: Coordinate, country: UInt16, division: UInt16) -> (
        place: Int, share: Double
    )? {
        let reach = CityRule.radius(population: 40_000_000) * CityRule.pointShare
        var best: (place: Int, share: Double)?
        visit(sections[.cityCentres] ?? .empty, near: coordinate, within: reach) { place in
            let own = admin1(ofPlace: place)
            guard self.country(ofPlace: place) == country,
                own == division || own == IndexFormat.none16 || division == IndexFormat.none16
            else { return }
            let share = self.share(ofPlace: place, at: coordinate)
            if share <= CityRule.pointShare, share < best?.share ?? .infinity { best = (place, share) }
        }
        return best
    }

    /// How much of a place's radius the way to a point takes, if the radius is at least so many metres; infinite for a
    /// radius of 0.
    func share(ofPlace place: Int, at coordinate: Coordinate, leastReach: Double = 0) -> Double {
        let metres = self.coordinate(ofPlace: place).distance(to: coordinate)
        let radius = CityRule.radius(population: UInt32(clamping: population(ofPlace: place)))
        return metres == 0 ? 0 : metres / max(radius, leastReach)
    }

    /// The town around a section of no city: the nearest place, or the section itself if it is as large as a town and
    /// larger than the place.
    func town(aroundSection section: Int, nearestPlace place: Int) -> Int {
        let people = population(ofPlace: section)
        return people >= CityRule.smallestParent && people > population(ofPlace: place) ? section : place
    }

    /// Calls `body` with the places of a section, sorted by latitude, that are not too far north or south.
    private func visit(
        _ section: ByteSection, near coordinate: Coordinate, within metres: Double, _ body: (Int) -> Void
    ) {
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
        while low < count {
            let number = place(low)
            low += 1
            if self.coordinate(ofPlace: number).latitude > coordinate.latitude + span { break }
            // A degree of longitude is shorter, so this keeps some that are too far.
            body(number)
        }
    }
}

extension ReverseAnswer {
    /// The city at this answer's point, and the part of it; nil if no place is near. See `CityRule`.
    ///
    /// The nearest one decides, whether it is a place or a section of a place within 5 km. If it belongs to no city, and
    /// the point is not within its reach, a city may reach farther.
    package func city(at coordinate: Coordinate) -> CityAnswer? {
        guard let placeIndex, let distanceMetres, let countryIndex else { return nil }
        let within = min(distanceMetres, Gazetteer.sectionCapMetres)
        let section = gazetteer.nearestSection(to: coordinate, country: countryIndex, within: within)
        let nearest = section ?? placeIndex
        let town =
            section.map { gazetteer.town(aroundSection: $0, nearestPlace: placeIndex) } ?? placeIndex
        let city = gazetteer.cityIndex(ofPlace: nearest) ?? gazetteer.cityIndex(ofPlace: town) ?? town
        guard city == town else { return answer(city, nearest) }
        let share = gazetteer.share(ofPlace: town, at: coordinate, leastReach: CityRule.leastReach)
        if share > 1,
            let larger = gazetteer.dominantCity(
                at: coordinate, country: countryIndex, division: division?.index ?? IndexFormat.none16),
            larger.share < share
        {
            return answer(gazetteer.cityIndex(ofPlace: larger.place) ?? larger.place, nearest)
        }
        return answer(city, nearest)
    }

    private func answer(_ city: Int, _ nearest: Int) -> CityAnswer {
        CityAnswer(city: gazetteer.place(city), locality: nearest == city ? nil : gazetteer.place(nearest))
    }
}
