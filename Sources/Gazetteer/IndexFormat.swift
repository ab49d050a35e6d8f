/// The layout of an index file. Every number is little-endian.
///
///     header         64 bytes   magic, versions, sizes, checksum of header and section table
///     section table  40 bytes a section: kind, record size, offset, length, checksum
///     sections       each at a multiple of 64, zeros between
///
/// A reader ignores sections it does not know, so a new kind needs no new format version; a change
/// to an existing section does.
enum IndexFormat {
    static let magic: [UInt8] = Array("DARKGAZ\n".utf8)
    static let version: UInt32 = 1
    static let headerSize = 64
    static let entrySize = 40
    static let alignment = 64
    static let maximumSections = 64
    /// Stands for "none" in 16-bit references.
    static let none16 = UInt16.max
    /// Stored coordinates are degrees times this.
    static let degreeScale = 1e7

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
        /// Populated places: first those of the tree, in its order, then sections of places.
        case places = 0x4543_4C50
        /// Unit vectors of the tree's places: a k-d tree whose root is the middle element.
        case vectors = 0x4354_4356
        /// Folded names, sorted by bytes without repetition.
        case keys = 0x5359_454B
        case names = 0x454D_414E
        case countryBorders = 0x4452_4243
        case admin1Borders = 0x4452_4241

        /// Bytes of a record; 1 where the section is a run of bytes.
        var recordSize: Int {
            switch self {
            case .strings, .keys: 1
            case .sources: 64
            case .countries: CountryRecord.size
            case .admin1: Admin1Record.size
            case .timeZones: 8
            case .places: PlaceRecord.size
            case .vectors: 24
            case .names: NameRecord.size
            case .countryBorders, .admin1Borders: 4
            }
        }

        var isRequired: Bool {
            switch self {
            case .countryBorders, .admin1Borders: false
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

struct CountryRecord {
    static let size = 24
    var code: (UInt8, UInt8)
    var name: StringReference
    var geonameid: UInt32
    /// The place that stands for the country, or UInt32.max.
    var capital: UInt32
    /// Whether some place overrules the country's polygon, 0 or 1.
    var hasOverruledLand: UInt32
}

struct Admin1Record {
    static let size = 24
    var code: StringReference
    var name: StringReference
    var country: UInt16
    /// The division's most populous place, or UInt32.max.
    var largest: UInt32
}

struct PlaceRecord {
    static let size = 32
    var geonameid: UInt32
    var latitude: Int32
    var longitude: Int32
    var population: UInt32
    var nameOffset: UInt32
    var nameLength: UInt16
    var country: UInt16
    var admin1: UInt16
    var timeZone: UInt16
    /// The country whose polygon holds the place's point.
    var polygon: UInt16
    var polygonRule: UInt16

    /// Whether a place's country stands against the polygon around it: see `Gazetteer.reverse(_:)`.
    enum PolygonRule: UInt16 {
        case agrees = 0
        case overrules = 1
        case overrulesNearby = 2
    }
}

struct NameRecord {
    static let size = 12

    /// What a name names, and how: a lower value is the better claim to a name.
    enum Kind: UInt8 {
        case place = 0
        case placeAlternate = 1
        case admin1 = 2
        case admin1Code = 3
        case country = 4
        case countryCode = 5
    }

    var keyOffset: UInt32
    var keyLength: UInt16
    var kind: UInt8
    var target: UInt32
}
