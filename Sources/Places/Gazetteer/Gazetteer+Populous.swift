/// A place with the division that it lies in.
package struct PopulousPlace: Sendable, Hashable {
    package let place: Place
    package let admin1: Admin1?
    /// The geonameid of `admin1`; nil if the sources give none.
    package let admin1Number: Int?
    /// The city that the place is part of; the place itself if it is part of none.
    package let city: Place
}

extension Gazetteer {
    /// The nearest place with enough inhabitants that may stand for a point instead of a smaller one.
    ///
    /// This is the answer's own place if it is large enough; else the nearest large enough one of the same division;
    /// else, if none is within `placeCapMetres`, of the same country. Nil if there is none either: then do not name any
    /// place.
    ///
    /// - Parameter answer: what `reverse(_:)` of this gazetteer returned for `coordinate`.
    package func place(
        for answer: ReverseAnswer, at coordinate: Coordinate, minimumPopulation: Int
    ) -> PopulousPlace? {
        guard let country = answer.countryIndex, let named = answer.placeIndex else { return nil }
        let division = answer.division?.index ?? admin1(ofPlace: named)
        if population(ofPlace: named) >= minimumPopulation { return populous(named) }
        let target = UnitVector(coordinate)
        let trees = trees(with: country)
        let ways: [(Int) -> Bool] = [
            { [self] in division != IndexFormat.none16 && admin1(ofPlace: $0) == division }, { _ in true },
        ]
        for isNearEnough in ways {
            let found = tree.nearest(inTrees: trees, to: target, within: Self.squaredPlaceCap) {
                [self] place in
                population(ofPlace: place) >= minimumPopulation
                    && self.country(ofPlace: place) == country && isNearEnough(place)
            }
            if let found { return populous(found.place) }
        }
        return nil
    }

    private func populous(_ place: Int) -> PopulousPlace {
        let division = admin1(ofPlace: place)
        return PopulousPlace(
            place: self.place(place), admin1: admin1(division), admin1Number: geonameid(ofAdmin1: division),
            city: city(ofPlace: place))
    }

    /// The trees with a country's places: its own, and those of places that always overrule other countries' polygons.
    private func trees(with country: UInt16) -> [Int] {
        let own = Array(ownTrees(ofCountry: country))
        guard borders != nil else { return own }
        let others = (0..<UInt16(countries.count / CountryRecord.size)).filter { $0 != country }
        return own + others.map { trees(ofCountry: $0).lowerBound }
    }
}
