package import Gazetteer
import Glibc

/// A coordinate with its known correct answers.
package struct TruthPoint: Sendable, Hashable {
    /// In the file, from 1.
    package let line: Int
    package let coordinate: Coordinate
    /// Correct ISO 3166-1 codes, the best first; an empty one means "no country".
    package let countries: [String]
    /// GeoNames code of the division; nil if the file does not say.
    package let admin1: String?
    /// GeoNames ID of the place; nil if the file does not say.
    package let geonameid: Int?
    /// GeoNames ID of the city; nil if the file does not say.
    package let city: Int?
    /// The kind of point, such as "border"; empty if the file does not say.
    package let group: String
    package let note: String

    /// Whether "no country" is the only correct answer.
    package var isAtSea: Bool { countries.allSatisfy(\.isEmpty) }
}

extension TruthPoint {
    private enum Column: CaseIterable {
        case latitude, longitude, country, admin1, geonameid, city, group, alsoRight, note

        var names: [String] {
            switch self {
            case .latitude: ["lat", "latitude"]
            case .longitude: ["lon", "longitude"]
            case .country: ["country", "expected_country_iso2"]
            case .admin1: ["admin1", "admin1_geonames"]
            case .geonameid: ["geonameid"]
            case .city: ["city"]
            case .group: ["class"]
            case .alsoRight: ["also_ok"]
            case .note: ["note"]
            }
        }

        var isRequired: Bool {
            switch self {
            case .latitude, .longitude, .country: true
            default: false
            }
        }
    }

    /// Reads a table whose first line names its columns, in any order; unknown ones are ignored.
    ///
    /// Required are `lat`, `lon` and `country`. Optional are `admin1` (GeoNames code), `geonameid`, `city` (its geonameid), `class`, `also_ok`
    /// (further accepted countries, separated by `|`, empty for none) and `note`.
    /// - Throws: `GazetteerError`: `malformedInput` with line and column, or `io`.
    package static func read(path: String) throws(GazetteerError) -> [TruthPoint] {
        var table = TableReader(try MappedFile(path: path, advice: MADV_SEQUENTIAL))
        guard table.next() else {
            throw GazetteerError(
                .malformedInput, file: path, line: 1, column: 1,
                message: "is empty; its first line must name the columns lat, lon and country")
        }
        let header = table.fields.indices.map { table.shown($0) }
        var columns: [Column: Int] = [:]
        for column in Column.allCases {
            columns[column] = column.names.lazy.compactMap { header.firstIndex(of: $0) }.first
            if columns[column] == nil, column.isRequired {
                throw table.failure(
                    at: 0,
                    "no column is named \(column.names.joined(separator: " or ")); name the columns in the first line"
                )
            }
        }
        var points: [TruthPoint] = []
        while table.next() {
            try table.requireFields(header.count...header.count)
            points.append(try TruthPoint(table, columns))
        }
        return points
    }

    private init(_ table: TableReader, _ columns: [Column: Int]) throws(GazetteerError) {
        func text(_ column: Column) throws(GazetteerError) -> String {
            guard let index = columns[column] else { return "" }
            return try table.text(index, column.names[0])
        }
        func degrees(_ column: Column, _ limit: Double) throws(GazetteerError) -> Double {
            let index = columns[column] ?? 0
            guard let value = Double(table.shown(index)), abs(value) <= limit else {
                throw table.failure(
                    at: index, "“\(table.shown(index))” is not a number of degrees in ±\(Int(limit))")
            }
            return value
        }
        let latitude = try degrees(.latitude, 90)
        let longitude = try degrees(.longitude, 180)
        let others = try text(.alsoRight)
        line = table.line
        coordinate = Coordinate(clamping: latitude, longitude)
        countries =
            [try text(.country)]
            + (others.isEmpty
                ? [] : others.split(separator: "|", omittingEmptySubsequences: false).map(String.init))
        let division = try text(.admin1)
        admin1 = division.isEmpty ? nil : division
        func identifier(_ column: Column) throws(GazetteerError) -> Int? {
            guard let index = columns[column], !table.fields[index].isEmpty else { return nil }
            return Int(try table.number(index, column.names[0]))
        }
        geonameid = try identifier(.geonameid)
        city = try identifier(.city)
        group = try text(.group)
        note = try text(.note)
    }
}
