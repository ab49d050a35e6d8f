/// A file that an index is built from, and its attribution.
package struct GazetteerInput: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A GeoNames dump of 19 tab-separated columns (cities500.txt, allCountries.txt, XX.txt).
        case places
        /// GeoNames' admin1CodesASCII.txt: code, name, ASCII name, geonameid.
        case admin1Codes
        /// GeoNames' countryInfo.txt.
        case countries
        /// GeoNames code, name, ISO 3166-2 code: gives divisions their common abbreviations.
        case subdivisions
        /// Code and name: names of countries (ISO 3166-1), divisions (GeoNames) and continents (UN M49) in any language.
        case regionNames
        /// Polygons of countries, as GeoJSON or a format that GDAL reads, with ISO 3166-1 codes (Natural Earth's).
        case countryBorders
        /// Polygons of first-level divisions (Natural Earth's states and provinces), in the same formats.
        case divisionBorders
        /// Polygons of seas with their `name` (Natural Earth's geography_marine_polys), in the same formats.
        case seas
        /// Polygons of time zones with their `tzid` (timezone-boundary-builder's), in the same formats.
        case zoneBorders
        /// The time zone database's zone.tab: the country of each time zone.
        case zoneCountries
        /// GeoNames' alternateNamesV2.txt: names by language.
        case alternateNames
        /// GeoNames' admin2Codes.txt: names of second-level divisions.
        case admin2Codes
    }

    package var kind: Kind
    package var path: String
    /// The layer to read from a file with several (GeoPackage).
    package var layer: String?
    package var title: String
    package var url: String
    /// The date of the data in ISO 8601 (2026-05-01), so that dates compare as texts; empty if unknown.
    package var date: String
    package var licence: String
    package var attribution: String

    /// Describes an input; the defaults are those of the usual source of its kind.
    package init(
        _ kind: Kind, path: String, layer: String? = nil, title: String? = nil, url: String? = nil,
        date: String = "",
        licence: String? = nil, attribution: String? = nil
    ) {
        self.kind = kind
        self.path = path
        self.layer = layer
        let words =
            switch kind {
            case .countryBorders, .divisionBorders, .seas:
                (
                    "Natural Earth", "https://www.naturalearthdata.com", "public domain",
                    "Made with Natural Earth."
                )
            case .zoneBorders:
                (
                    "Timezone Boundary Builder", "https://github.com/evansiroky/timezone-boundary-builder",
                    "ODbL 1.0", "Time zones © OpenStreetMap contributors, ODbL 1.0."
                )
            case .zoneCountries:
                (
                    "Time Zone Database", "https://www.iana.org/time-zones", "public domain",
                    "Countries of time zones from the IANA Time Zone Database."
                )
            case .regionNames:
                (
                    "Unicode CLDR", "https://cldr.unicode.org", "Unicode-3.0",
                    "Names of countries © Unicode, Inc."
                )
            case .places, .admin1Codes, .admin2Codes, .countries, .subdivisions, .alternateNames:
                ("GeoNames", "https://www.geonames.org", "CC BY 4.0", "Place data © GeoNames, CC BY 4.0.")
            }
        self.title = title ?? words.0
        self.url = url ?? words.1
        self.date = date
        self.licence = licence ?? words.2
        self.attribution = attribution ?? words.3
    }
}
