/// What a text may mean: a place, a country or a division, or a point.
package struct PlaceMatch: Sendable, Hashable {
    /// What the text named.
    package enum Kind: String, Sendable, Hashable {
        case place
        case admin1
        case country
        /// A division of the second level: a county, district, department.
        case admin2
        /// Coordinates.
        case point
    }

    /// How precisely the text says where something is, from the least precise to the most.
    package enum Precision: String, Sendable, Hashable, CaseIterable {
        case country
        /// A division of the first or second level.
        case division
        /// A place that is a city: see `Gazetteer.isCity(_:)`.
        case city
        /// Any other town, village, or section of a place.
        case place
        /// Coordinates.
        case point
    }

    /// How well the text matches the name.
    package enum Quality: Sendable, Hashable {
        /// The name itself, or a region's.
        case name
        /// Another name of the place: in another language, a former or a short one.
        case alternateName
        /// This many letters of the text are wrong.
        case corrected(edits: Int)
        /// The text is the beginning of the name.
        case completed
    }

    /// The GeoNames number of the place, division or country; for a division of the second level, that of the first. Nil for
    /// a point, and if the sources give none.
    package let geonameid: Int?
    /// The place that the text named; nil for a country, a division and a point, which are no town.
    package let place: Place?
    /// Nil only for a point, if no country is there.
    package let country: Country?
    /// The division that the text named or that the place or point lies in.
    package let admin1: Admin1?
    /// The name of the second-level division that the text named or that the place lies in, if the tables say it.
    package let county: String?
    package let kind: Kind
    package let precision: Precision
    package let quality: Quality
    /// The place's own point, the point, or a point in the middle of the country or division: see `RegionExtent`.
    package let coordinate: Coordinate
    /// What the text means lies within this distance of `coordinate`, in metres. See `RegionExtent` for countries and
    /// divisions, and `Gazetteer.radiusMetres(ofPlace:)` for places. For a point it is the uncertainty that the text
    /// states; nil if it states none.
    package let radiusMetres: Double?
    /// The candidate's share of the weight of all candidates, 0...1.
    package let score: Double
    /// The part of the text that is not known, such as a street or a landmark: the text was read as the city that it
    /// lies in. Nil if all of the text was read.
    package internal(set) var unread: String?
}

extension PlaceMatch {
    /// The name of the place, division or country; of a point, its coordinates.
    package var name: String {
        let name =
            switch kind {
            case .place: place?.name
            case .admin1: admin1?.name
            case .admin2: county
            case .country: country?.name
            case .point: nil as String?
            }
        return name ?? label
    }

    /// "Springfield, Illinois, United States"
    package var label: String { label([place?.name ?? county, admin1?.name, country?.name]) }

    /// Whether a text is its own name.
    fileprivate func isCalled(_ text: some StringProtocol) -> Bool {
        quality == .name && NameFolding.key(name) == NameFolding.key(String(text))
    }

    /// The labels of several matches. Those that would be equal say the county as well: "Newport, Essex, England, United Kingdom".
    package static func labels(_ matches: [PlaceMatch]) -> [String] {
        let counts = Dictionary(grouping: matches, by: \.label).mapValues(\.count)
        return matches.map { match in
            counts[match.label] == 1
                ? match.label
                : match.label([match.place?.name, match.county, match.admin1?.name, match.country?.name])
        }
    }

    private func label(_ parts: [String?]) -> String {
        if kind == .point { return "\(coordinate.latitude), \(coordinate.longitude)" }
        var names: [String] = []
        for name in parts {
            if let name, name != names.last { names.append(name) }
        }
        return names.joined(separator: ", ")
    }
}

/// What a text names.
package enum ForwardAnswer: Sendable, Hashable {
    case match(PlaceMatch)
    /// Several candidates of similar weight, the heaviest first; never fewer than two.
    case ambiguous([PlaceMatch])
    /// Nothing has the name, or not in that region. These may be what was meant, the likeliest first.
    case noMatch(suggestions: [PlaceMatch])
    /// The text is written as coordinates, but there is no such point.
    case badCoordinates(WrittenCoordinates.Fault)
}

extension ForwardAnswer {
    /// The matches of the text, without suggestions.
    package var matches: [PlaceMatch] {
        switch self {
        case .match(let match): [match]
        case .ambiguous(let matches): matches
        case .noMatch, .badCoordinates: []
        }
    }

    package var suggestions: [PlaceMatch] {
        if case .noMatch(let suggestions) = self { suggestions } else { [] }
    }

    /// The name of the result, for scripts.
    package var name: String {
        switch self {
        case .match: "match"
        case .ambiguous: "ambiguous"
        case .noMatch: "no_match"
        case .badCoordinates: "bad_coordinates"
        }
    }

    /// What to tell the person who typed a text; nil if it names one thing exactly.
    package func message(of text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "The place is empty. Write its name, or coordinates." }
        // All of a long text would hide what is wrong with it.
        let text = text.count > 100 ? text.prefix(100) + "…" : text[...]
        switch self {
        case .match(let match):
            if let unread = match.unread {
                return "“\(text)” was read as \(match.label), without “\(unread)”."
            }
            switch match.quality {
            case .name, .alternateName: return nil
            case .corrected, .completed: return "“\(text)” was read as \(match.label)."
            }
        case .ambiguous(let matches):
            return "“\(text)” could be several places (\(Self.names(matches))). "
                + "Say which by adding its region or country" + Self.hint(matches) + "."
        case .noMatch(let suggestions):
            guard !suggestions.isEmpty else {
                return "No place called “\(text)” is known. Check the spelling, or give coordinates."
            }
            if suggestions[0].isCalled(text) {
                return
                    "“\(text)” alone is too little. If you mean \(Self.names(suggestions)), add its region or country."
            }
            return "No place called “\(text)” is known. Did you mean \(Self.names(suggestions))?"
        case .badCoordinates(let fault):
            return "“\(text)” is not a point on the Earth: \(fault)."
        }
    }

    /// How to name a county that has a town of its name, which no region tells apart.
    private static func hint(_ matches: [PlaceMatch]) -> String {
        let towns = matches.filter { $0.kind == .place }.compactMap(\.place?.name)
        guard
            let county = matches.first(where: { $0.kind == .admin2 && $0.county.map(towns.contains) == true }
            )?.county
        else { return "" }
        return "; the division is “County \(county)”"
    }

    /// The first three, with what tells a division or country from a town of the same name.
    package static func names(_ matches: [PlaceMatch]) -> String {
        zip(matches, PlaceMatch.labels(matches)).prefix(3).map { match, label in
            switch match.kind {
            case .place, .point: label
            case .admin1, .admin2: "\(label) (the division)"
            case .country: "\(label) (the country)"
            }
        }.joined(separator: "; ")
    }
}
