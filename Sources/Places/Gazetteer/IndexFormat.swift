/// The layout of an index file. Every number is little-endian.
///
///     header         64 bytes   magic, versions, sizes, checksum of header and section table
///     section table  40 bytes per section: kind, record size, offset, length, checksum
///     sections       each at a multiple of 64, zeros between
///
/// A reader ignores unknown sections, so a new kind needs no new format version; a change to an existing
/// section does.
package enum IndexFormat {
    static let magic: [UInt8] = Array("DARKGAZ\n".utf8)
    static let version: UInt32 = 10
    static let headerSize = 64
    static let entrySize = 40
    static let alignment = 64
    static let maximumSections = 64
    /// Stands for "none" in 16-bit references.
    package static let none16 = UInt16.max
    /// Stored coordinates are degrees times this.
    package static let degreeScale = 1e7

    /// Offsets within the header.
    enum Header {
        static let magic = 0
        static let version = 8
        static let headerSize = 12
        static let fileSize = 16
        static let sectionCount = 24
        static let entrySize = 28
        static let foldingVersion = 32
        static let treePlaceCount = 36
        static let reserved = 40
        static let checksum = 56
    }

    /// Offsets within an entry of the section table.
    enum Entry {
        static let kind = 0
        static let recordSize = 4
        static let offset = 8
        static let length = 16
        static let checksum = 24
        static let reserved = 32
    }

    /// Four characters that name a section, as a number.
    enum Kind: UInt32, CaseIterable {
        /// UTF-8 text that other sections refer to by offset and length.
        case strings = 0x5352_5453
        case sources = 0x4352_4F53
        case countries = 0x5254_4E43
        case admin1 = 0x314D_4441
        case timeZones = 0x4E4F_5A54
        /// Populated places: first those of the trees, in their order, then sections of places.
        case places = 0x4543_4C50
        /// The regions that places lie in, as far as they differ.
        case placeRegions = 0x4752_4C50
        /// See `TreePlan` and `PlaceTree`.
        case trees = 0x4545_5254
        /// Positions of planes, in units of tree points; the lowest bits are the number of the axis.
        case treeNodes = 0x444E_5254
        /// Leaves: see `PlaceTree`.
        case treePoints = 0x544E_5054
        /// Numbers of places that belong to a tree but are stored in another tree's order.
        case treeReferences = 0x4652_5054
        /// Folded names with what they name: see `NameTrie`.
        case names = 0x454D_414E
        /// Polygons of countries, first-level divisions and time zones, as far as given: see `BorderMap`.
        case borders = 0x4452_4F42
        /// Polygons of seas, each with a name; smaller seas come first.
        case seaBorders = 0x4241_4553
        case seaNames = 0x4E41_4553
        /// See `ContestedCells`.
        case contestedCells = 0x5153_5352
        /// Inhabitants of the places of each division, then of each country.
        case regionPeople = 0x504F_5052
        /// Names by language: see `LanguageNames`.
        case languages = 0x474E_414C
        case languageNames = 0x4D41_4E4C
        case languageTexts = 0x5458_544C
        /// The geonameid of each division.
        case admin1Ids = 0x4449_3141
        /// Places that belong to a city, and the city: see `CityRule`.
        case cities = 0x5954_4943
        /// Sections of places by latitude.
        case localities = 0x4C43_4F4C
        /// Places that may be a city by latitude: see `CityRule`.
        case cityCentres = 0x4443_5443
        /// The second-level division of each place, or `none16`.
        case placeCounties = 0x4441_3250
        case counties = 0x324D_4441

        /// Bytes of a record; 1 if the section is a run of bytes.
        var recordSize: Int {
            switch self {
            case .strings, .names, .borders, .seaBorders, .contestedCells, .languageTexts: 1
            case .treePoints: 2
            case .sources: SourceRecord.size
            case .countries: CountryRecord.size
            case .admin1: Admin1Record.size
            case .timeZones, .seaNames: 8
            case .trees: PlaceTree.Record.size
            case .treeNodes: 4
            case .places: PlaceRecord.size
            case .placeRegions: PlaceRegionsRecord.size
            case .treeReferences, .regionPeople, .admin1Ids,
                .localities, .cityCentres:
                4
            case .placeCounties: 2
            case .counties: CountyRecord.size
            case .cities: 8
            case .languages: LanguageNames.languageSize
            case .languageNames: LanguageNames.entrySize
            }
        }

        var isRequired: Bool {
            switch self {
            case .borders, .contestedCells, .seaBorders, .seaNames, .regionPeople, .languages, .languageNames,
                .languageTexts, .admin1Ids, .cities, .localities, .cityCentres,
                .placeCounties,
                .counties:
                false
            default: true
            }
        }
    }
}

/// Offset and length of a text in the string pool.
struct StringReference: Hashable {
    var offset: UInt32 = 0
    var length: UInt32 = 0
}

// Offsets of the fields within each kind of record.

package enum CountryRecord {
    static let size = 28
    /// ISO 3166-1 alpha-2 in two bytes.
    static let code = 0
    /// The time zone that all places of the country have, or `none16`.
    static let timeZone = 2
    static let name = 4
    static let geonameid = 12
    /// The place that stands for the country, or UInt32.max.
    static let capital = 16
    /// The first tree of places that overrule the country's polygon; those nearby and its own trees follow.
    static let firstTree = 20
    static let treeCount = 24
    /// Bits of `Flag`.
    static let flags = 26

    package enum Flag {
        /// Some place overrules the country's polygon.
        package static let hasOverruledLand: UInt16 = 1
        /// Some division of the country has a polygon.
        package static let hasDivisionBorders: UInt16 = 2
        /// The country's borders are those of its time zones, which include its waters.
        package static let hasWaters: UInt16 = 4
    }
}

enum Admin1Record {
    static let size = 36
    static let code = 0
    static let name = 8
    static let country = 16
    /// The time zone that all places of the division have, or `none16`.
    static let timeZone = 18
    /// The division's most populous place, or UInt32.max.
    static let largest = 20
    /// ISO 3166-2.
    static let iso = 24
    /// The tree of the division's places, if the country has division borders.
    static let tree = 32
}

enum PlaceRecord {
    static let size = 24
    static let geonameid = 0
    static let latitude = 4
    static let longitude = 8
    static let population = 12
    static let nameOffset = 16
    static let nameLength = 20
    /// The number of the record of the place's regions.
    static let regions = 22
}

package enum PlaceRegionsRecord {
    static let size = 10
    static let country = 0
    static let admin1 = 2
    static let timeZone = 4
    /// The country whose polygon contains the place's point.
    static let polygon = 6
    static let polygonRule = 8

    /// Whether the polygons around a place contradict it: see `Gazetteer.reverse(_:)`.
    package enum PolygonRule: UInt16 {
        case agrees = 0
        case overrules = 1
        case overrulesNearby = 2
        /// The place lies in the polygon of another division of its country.
        case strays = 3
    }
}

enum NameRecord {
    /// What a name stands for, and how: a lower value is a better claim to the name.
    enum Kind: UInt8 {
        case place = 0
        case placeAlternate = 1
        case admin1 = 2
        case admin1Code = 3
        case country = 4
        case countryCode = 5
        case admin2 = 6
        /// A code of a place, such as an airport's.
        case placeCode = 7
        /// The name of a division or country in another language, or another name.
        case admin1Alternate = 8
        case countryAlternate = 9
        /// The name of a continent or a part of one. It stands for nothing, so its number is 0.
        case continent = 10
        case admin2Alternate = 11

        /// The kind of the own names of what such names stand for.
        var original: Kind {
            switch self {
            case .admin1Alternate: .admin1
            case .admin2Alternate: .admin2
            case .countryAlternate: .country
            default: self
            }
        }
    }
}

enum SourceRecord {
    static let size = 64
    /// Six texts: file, title, URL, date, licence, attribution.
    static let texts = 0
    static let byteCount = 48
    static let checksum = 56
}
