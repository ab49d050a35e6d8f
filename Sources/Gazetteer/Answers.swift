/// A country or territory with a code of its own.
package struct Country: Sendable, Hashable {
    /// ISO 3166-1 alpha-2, e.g. "CR"; "XK" for Kosovo, as in GeoNames.
    package let code: String
    package let name: String

    package init(code: String, name: String) {
        self.code = code
        self.name = name
    }
}

/// A first-level division of a country: state, province, region.
package struct Admin1: Sendable, Hashable {
    /// The GeoNames code, e.g. "US.WA"; not ISO 3166-2, though for some countries it looks alike.
    package let code: String
    package let name: String

    package init(code: String, name: String) {
        self.code = code
        self.name = name
    }
}

/// A populated place.
package struct Place: Sendable, Hashable {
    package let geonameid: Int
    package let name: String
    package let coordinate: Coordinate
    /// Inhabitants; 0 where the source does not know.
    package let population: Int
    /// IANA name, e.g. "America/Los_Angeles"; nil where the source gives none.
    package let timeZone: String?

    package init(geonameid: Int, name: String, coordinate: Coordinate, population: Int, timeZone: String?) {
        self.geonameid = geonameid
        self.name = name
        self.coordinate = coordinate
        self.population = population
        self.timeZone = timeZone
    }
}

/// Where a coordinate lies.
///
/// Holds numbers, and reads the index (which it keeps open) when a property is asked for: what is not
/// asked for costs nothing.
package struct ReverseAnswer: Sendable {
    /// How the country was found, from the surest to the least sure.
    package enum Certainty: Sendable, Hashable {
        /// The point lies within the country's polygon.
        case insideBorder
        /// The point lies outside of every polygon, and so many metres from the nearest.
        case nearBorder(metres: Double)
        /// The country is that of the nearest populated place: near a border it may be wrong.
        case nearestPlace
        /// Nothing is near enough: high seas or a wilderness that no source covers.
        case remote
    }

    package let gazetteer: Gazetteer
    let countryIndex: UInt16?
    let placeIndex: Int?
    let squaredChord: Double
    package let certainty: Certainty

    package var country: Country? { countryIndex.flatMap { gazetteer.country($0) } }

    /// The division that the place lies in.
    package var admin1: Admin1? {
        placeIndex.flatMap { gazetteer.admin1(gazetteer.admin1(ofPlace: $0)) }
    }

    /// The number of `place`.
    package var geonameid: Int? { placeIndex.map { Int(gazetteer.geonameid(ofPlace: $0)) } }

    package var place: Place? { placeIndex.map { gazetteer.place($0) } }

    /// From the coordinate to `place`, along the sphere's surface.
    package var distanceMetres: Double? {
        placeIndex.map { _ in Sphere.arcMetres(squaredChord: squaredChord) }
    }
}

extension ReverseAnswer: Equatable {
    /// Whether all that can be asked for is the same, be it of one index or of two.
    package static func == (left: ReverseAnswer, right: ReverseAnswer) -> Bool {
        left.country == right.country && left.admin1 == right.admin1 && left.place == right.place
            && left.distanceMetres == right.distanceMetres && left.certainty == right.certainty
    }
}

/// A place that a text may mean.
package struct PlaceMatch: Sendable, Hashable {
    /// What the text named: the place itself, or a country or division that the place stands for.
    package enum Kind: Sendable, Hashable {
        case place
        case admin1
        case country
        /// A division of the second level: a county, district, department.
        case admin2
    }

    /// How the text and the name agree.
    package enum Quality: Sendable, Hashable {
        /// The name itself, or a region's.
        case name
        /// Another name of the place: in another language, a former or a short one.
        case alternateName
        /// So many letters of the text are wrong.
        case corrected(edits: Int)
        /// The text is the beginning of the name.
        case completed
    }

    package let place: Place
    package let country: Country
    package let admin1: Admin1?
    package let kind: Kind
    package let quality: Quality
    /// The candidate's share of the weighted population of all candidates, 0...1.
    package let score: Double
}

/// What a text names.
package enum ForwardAnswer: Sendable, Hashable {
    case match(PlaceMatch)
    /// Several places of similar weight, the weightiest first; never fewer than two.
    case ambiguous([PlaceMatch])
    /// Nothing bears the name, or not there; perhaps one of these, the likeliest first, was meant.
    case noMatch(suggestions: [PlaceMatch])
}

extension PlaceMatch {
    /// "Springfield, Illinois, United States"
    package var label: String {
        var names = [place.name]
        for name in [admin1?.name, country.name] where name != nil && name != names.last {
            names.append(name ?? "")
        }
        return names.joined(separator: ", ")
    }
}

extension ForwardAnswer {
    /// What to tell who typed a text; nil where it names one place as it is written.
    package func message(of text: String) -> String? {
        switch self {
        case .match(let match):
            switch match.quality {
            case .name, .alternateName: return nil
            case .corrected, .completed: return "“\(text)” is taken for \(match.label)."
            }
        case .ambiguous(let matches):
            let names = matches.prefix(3).map(\.label).joined(separator: "; ")
            return "“\(text)” could be several places (\(names)). Say which by adding its region or country."
        case .noMatch(let suggestions):
            guard !suggestions.isEmpty else {
                return "No place called “\(text)” is known. Check the spelling, or give coordinates."
            }
            let names = suggestions.prefix(3).map(\.label).joined(separator: "; ")
            return "No place called “\(text)” is known. Did you mean \(names)?"
        }
    }
}

/// What an index holds and where it comes from.
package struct GazetteerInfo: Sendable, Hashable {
    /// One input of the build, with the attribution its licence asks for.
    package struct Source: Sendable, Hashable {
        package let file: String
        package let title: String
        package let url: String
        package let date: String
        package let licence: String
        package let attribution: String
        package let byteCount: Int
        /// CRC-64/XZ of the input.
        package let checksum: UInt64
    }

    package let formatVersion: Int
    package let fileSize: Int
    /// Places that reverse look-ups can answer.
    package let placeCount: Int
    /// Sections of places (districts), which only forward look-ups answer.
    package let sectionCount: Int
    package let countryCount: Int
    package let admin1Count: Int
    package let nameCount: Int
    package let hasCountryBorders: Bool
    package let sources: [Source]
}
