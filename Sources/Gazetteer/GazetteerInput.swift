/// A file that an index is built from, and what to say of it.
package struct GazetteerInput: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A GeoNames dump of 19 tab-separated columns (cities500.txt, allCountries.txt, XX.txt).
        case places
        /// GeoNames' admin1CodesASCII.txt: code, name, ASCII name, geonameid.
        case admin1Codes
        /// GeoNames' countryInfo.txt.
        case countries
        /// Code of GeoNames, name, ISO 3166-2 code: gives divisions their common abbreviations.
        case subdivisions
        /// GeoJSON polygons with the property `iso_a2` (Natural Earth's countries).
        case countryBorders
        /// GeoNames' alternateNamesV2.txt: names by language.
        case alternateNames
        /// GeoNames' admin2Codes.txt: names of second-level divisions.
        case admin2Codes
    }

    package var kind: Kind
    package var path: String
    package var title: String
    package var url: String
    /// The day of the data, in any form; it is stored as given.
    package var date: String
    package var licence: String
    package var attribution: String

    /// Describes an input; without other words it is GeoNames' or Natural Earth's, by its kind.
    package init(
        _ kind: Kind, path: String, title: String? = nil, url: String? = nil, date: String = "",
        licence: String? = nil, attribution: String? = nil
    ) {
        self.kind = kind
        self.path = path
        let isNaturalEarth = kind == .countryBorders
        self.title = title ?? (isNaturalEarth ? "Natural Earth" : "GeoNames")
        self.url = url ?? (isNaturalEarth ? "https://www.naturalearthdata.com" : "https://www.geonames.org")
        self.date = date
        self.licence = licence ?? (isNaturalEarth ? "public domain" : "CC BY 4.0")
        self.attribution =
            attribution ?? (isNaturalEarth ? "Made with Natural Earth." : "Place data © GeoNames, CC BY 4.0.")
    }
}
