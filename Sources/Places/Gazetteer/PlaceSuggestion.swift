/// Something that a person who types a text may mean.
package struct PlaceSuggestion: Sendable, Hashable {
    /// How the text matches the name, the best first.
    package enum Match: String, Sendable, Hashable, CaseIterable {
        /// The text is the name.
        case exact
        /// The text is the beginning of the name.
        case beginning
        /// One or two letters of the text are wrong.
        case misspelt
    }

    /// The GeoNames number; for a division of the second level, that of the first. Nil if the sources give none.
    package let geonameid: Int?
    /// The name of the place, division or country.
    package let name: String
    /// The name that the text matches, which may be another one: "Vienna" for Wien.
    package let matchedName: String
    package let match: Match
    /// Country, division, city or place; never a point.
    package let level: PlaceMatch.Precision
    /// The division that is suggested, or that the place lies in.
    package let division: Admin1?
    package let country: Country?
    /// As in `PlaceMatch`: the place's point, or a point in the middle of the region.
    package let coordinate: Coordinate
    /// Inhabitants; of a division or country, those of its places in the index.
    package let population: Int
    /// "Springfield, Illinois, United States": see `PlaceMatch.labels(_:)`.
    package let label: String
}

extension Gazetteer {
    /// More suggestions than these are never returned.
    package static let mostSuggestions = 50

    /// What a person may mean who is typing a text, the likeliest first.
    ///
    /// The last word may be unfinished. Names are folded as in `forward(_:)` and are those in all languages that the index
    /// has. What follows a comma is a division, country or large city around the place ("Springfield, IL", "paris,
    /// tex"), of which the last may be unfinished too; without a comma, so are the last words if no name has all of
    /// them. If there are fewer than `limit` names, names with one wrong letter are suggested from 4 letters on, and with
    /// two from 8 on: see `SuggestionSearch.typos`. The first letter is right, unless nothing else is found. Codes such as
    /// "US" and "TX" only say where a place lies.
    ///
    /// The order is: the name itself, then beginnings, then misspelt names; a region that is complete before one that is
    /// begun; then by `SuggestionSearch.weight`. A text of more than 1,000 bytes, 8 parts or 24 words has no suggestion.
    ///
    /// - Parameters:
    ///   - near: where the person is: what is near weighs more.
    ///   - country: the person's country, ISO 3166-1 alpha-2 in any case: what is in it weighs more. An unknown code has
    ///     no effect.
    ///   - limit: the most suggestions, 1 to 50; other values count as the nearest of these.
    package func suggest(
        _ text: String, near: Coordinate? = nil, country: String? = nil, limit: Int = 10
    ) -> [PlaceSuggestion] {
        guard let query = boundedQuery(text) else { return [] }
        var search = SuggestionSearch(
            gazetteer: self, hint: hint(near: near, country: country),
            limit: min(max(limit, 1), Self.mostSuggestions))
        search.run(query)
        let found = search.found.compactMap { found in
            match(ForwardCandidate(target: found.target, quality: .name, weight: found.weight), score: 1)
                .map { (found, $0) }
        }
        return zip(found, PlaceMatch.labels(found.map(\.1))).map { suggestion($0.0, $0.1, label: $1) }
    }

    private func suggestion(
        _ found: SuggestionSearch.Found, _ match: PlaceMatch, label: String
    ) -> PlaceSuggestion {
        let name = match.name
        let population =
            switch found.target {
            case .place: match.place?.population ?? 0
            case .admin1(let number): Int(people(ofAdmin1: number)) - 1_000
            case .admin2(let number): Int(people(ofAdmin2: number)) - 1_000
            case .country(let number): Int(people(ofCountry: number)) - 1_000
            }
        return PlaceSuggestion(
            geonameid: match.geonameid, name: name,
            matchedName: NameFolding.key(name) == found.key ? name : found.spelling,
            match: found.rank.match, level: match.precision, division: match.admin1, country: match.country,
            coordinate: match.coordinate, population: population, label: label)
    }
}
