/// A country, or a territory with its own code.
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
    /// The GeoNames code, e.g. "US.WA"; not ISO 3166-2, though it looks similar for some countries.
    package let code: String
    package let name: String
    /// The ISO 3166-2 code, e.g. "US-WA"; nil if the sources have none.
    package let iso: String?

    package init(code: String, name: String, iso: String? = nil) {
        self.code = code
        self.name = name
        self.iso = iso
    }
}

/// A populated place.
package struct Place: Sendable, Hashable {
    package let geonameid: Int
    package let name: String
    package let coordinate: Coordinate
    /// Inhabitants; 0 if the source does not know.
    package let population: Int
    /// IANA name, e.g. "America/Los_Angeles"; nil if the source has none.
    package let timeZone: String?

    package init(geonameid: Int, name: String, coordinate: Coordinate, population: Int, timeZone: String?) {
        self.geonameid = geonameid
        self.name = name
        self.coordinate = coordinate
        self.population = population
        self.timeZone = timeZone
    }
}

/// Water that belongs to no country.
package struct Sea: Sendable, Hashable {
    /// The nearest land.
    package struct Coast: Sendable, Hashable {
        package let country: Country
        /// Along the sphere's surface.
        package let metres: Double
    }

    /// The name of the sea or ocean; nil if the index does not know.
    package let name: String?
    /// Nil if no coast is within `Gazetteer.coastCapMetres`.
    package let coast: Coast?
}

/// Where a coordinate lies.
///
/// It only holds numbers and keeps the index open. A property reads the index when it is used, so unused
/// properties cost nothing.
package struct ReverseAnswer: Sendable {
    /// How the country was found, from the most to the least certain.
    package enum Certainty: Sendable, Hashable {
        /// The point lies within the country's polygon.
        case insideBorder
        /// The point lies outside every polygon, at this distance from the nearest.
        case nearBorder(metres: Double)
        /// The country is that of the nearest populated place: near a border it may be wrong.
        case nearestPlace
        /// Nothing is near enough: high seas, or a wilderness that no source covers.
        case remote
    }

    /// How the division was found, from the most to the least certain.
    package enum DivisionCertainty: Sendable, Hashable {
        /// The point lies within the division's polygon.
        case insideBorder
        /// The point lies outside every polygon of the country's divisions, at this distance from the nearest.
        case nearBorder(metres: Double)
        /// The division is that of the place: near its border it may be wrong.
        case nearestPlace
    }

    package let gazetteer: Gazetteer
    /// The point that was looked up.
    package let coordinate: Coordinate
    let target: UnitVector
    package let countryIndex: UInt16?
    let division: (index: UInt16, certainty: DivisionCertainty)?
    package let placeIndex: Int?
    package let certainty: Certainty

    package var country: Country? { countryIndex.flatMap { gazetteer.country($0) } }

    /// The division that the point lies in.
    package var admin1: Admin1? { division.flatMap { gazetteer.admin1($0.index) } }

    /// The number of `admin1`.
    package var admin1Index: UInt16? { division?.index }

    /// How `admin1` was found.
    package var admin1Certainty: DivisionCertainty? { division?.certainty }

    /// The number of `place`.
    package var geonameid: Int? { placeIndex.map { Int(gazetteer.geonameid(ofPlace: $0)) } }

    package var place: Place? { placeIndex.map { gazetteer.place($0) } }

    /// The IANA name of the time zone: that of the polygon around the point, else that of `place`, else the one of
    /// nearly everybody in the division or country.
    package var timeZone: String? { gazetteer.timeZone(at: coordinate) ?? place?.timeZone ?? commonTimeZone }

    /// The time zone of 99 % of the division's people, else of the country's.
    package var commonTimeZone: String? {
        division.flatMap { gazetteer.commonTimeZone(ofAdmin1: $0.index) }
            ?? countryIndex.flatMap { gazetteer.commonTimeZone(ofCountry: $0) }
    }

    /// The sea around the point, if the point is at sea: `certainty` is `remote`, and no border polygon is around it.
    ///
    /// Always nil if the index has no borders. It costs some 10 µs, and near the poles up to a millisecond.
    package var sea: Sea? { certainty == .remote ? gazetteer.sea(at: coordinate) : nil }

    /// From the coordinate to `place`, along the sphere's surface.
    package var distanceMetres: Double? {
        placeIndex.map { place in
            Sphere.arcMetres(squaredChord: gazetteer.tree.squaredChord(ofPlace: place, target))
        }
    }
}

extension ReverseAnswer: Equatable {
    /// Whether all properties are the same, even if the answers come from different indexes.
    package static func == (left: ReverseAnswer, right: ReverseAnswer) -> Bool {
        left.country == right.country && left.admin1 == right.admin1 && left.place == right.place
            && left.distanceMetres == right.distanceMetres && left.certainty == right.certainty
            && left.admin1Certainty == right.admin1Certainty && left.timeZone == right.timeZone
            && left.sea == right.sea
    }
}

/// What an index holds and where it comes from.
package struct GazetteerInfo: Sendable, Hashable {
    /// One input of the build, with the attribution that its licence requires.
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
    /// Places that reverse look-ups can return.
    package let placeCount: Int
    /// Sections of places (districts), which only forward look-ups return.
    package let sectionCount: Int
    package let countryCount: Int
    package let admin1Count: Int
    package let nameCount: Int
    package let hasCountryBorders: Bool
    /// Whether points without a country get the name of their sea.
    package let hasSeas: Bool
    /// Whether time zones are found by polygons too.
    package let hasZoneBorders: Bool
    /// Whether divisions are found by polygons too.
    package let hasDivisionBorders: Bool
    package let sources: [Source]
}
