package import Gazetteer
import Glibc

/// A text with its known correct answer.
package struct ForwardQuestion: Sendable, Hashable {
    package enum Expected: Sendable, Hashable {
        /// One of these places, by geonameid.
        case place([Int])
        /// A division by GeoNames code, or one of the places with its name.
        case admin1(String, orPlace: [Int])
        /// A country by ISO 3166-1 code, or one of the places with its name.
        case country(String, orPlace: [Int])
        /// One of these places, by geonameid, with a part of the text unread.
        case readAs([Int])
        case point(Coordinate)
        /// Coordinates that are no point.
        case badCoordinates
        case ambiguous
        case none
    }

    /// In the file, from 1.
    package let line: Int
    package let text: String
    package let expected: Expected
    /// Where the asker is; nil if the file does not say.
    package let near: Coordinate?
    /// The asker's country, ISO 3166-1 alpha-2; nil if the file does not say.
    package let country: String?
    /// The kind of text, such as "typo"; empty if the file does not say.
    package let group: String
}

extension ForwardQuestion {
    private enum Column: String, CaseIterable {
        case text, kind, answer
        case alsoRight = "also_ok"
        case group = "class"
        case latitude = "lat"
        case longitude = "lon"
        case country

        var isRequired: Bool {
            switch self {
            case .text, .kind, .answer: true
            default: false
            }
        }
    }

    /// Reads a table whose first line names its columns, in any order; unknown ones are ignored.
    ///
    /// Required are `text`, `kind` (place, read_as, admin1, country, point, invalid, ambiguous or none) and `answer` (a
    /// geonameid, GeoNames code or ISO code, or a point such as 47.6,-122.3; empty for the last three kinds). Optional are
    /// `also_ok` (further geonameids, separated by `|`), `class`, and `lat`, `lon` and `country` of the asker.
    /// - Throws: `GazetteerError`: `malformedInput` with line and column, or `io`.
    package static func read(path: String) throws(GazetteerError) -> [ForwardQuestion] {
        var table = TableReader(try MappedFile(path: path, advice: MADV_SEQUENTIAL))
        guard table.next() else {
            throw GazetteerError(
                .malformedInput, file: path, line: 1, column: 1,
                message: "is empty; its first line must name the columns text, kind and answer")
        }
        let header = table.fields.indices.map { table.shown($0) }
        var columns: [Column: Int] = [:]
        for column in Column.allCases {
            columns[column] = header.firstIndex(of: column.rawValue)
            if columns[column] == nil, column.isRequired {
                throw table.failure(
                    at: 0, "no column is named \(column.rawValue); name the columns in the first line")
            }
        }
        var questions: [ForwardQuestion] = []
        while table.next() {
            try table.requireFields(header.count...header.count)
            questions.append(try ForwardQuestion(table, columns))
        }
        return questions
    }

    private init(_ table: TableReader, _ columns: [Column: Int]) throws(GazetteerError) {
        func text(_ column: Column) throws(GazetteerError) -> String {
            guard let index = columns[column] else { return "" }
            return try table.text(index, column.rawValue)
        }
        func degrees(_ column: Column, _ limit: Double) throws(GazetteerError) -> Double? {
            guard let index = columns[column], !table.fields[index].isEmpty else { return nil }
            return Double(try table.degrees(index, column.rawValue, limit: limit)) / IndexFormat.degreeScale
        }
        let answer = try text(.answer)
        let kind = try text(.kind)
        var others: [Int] = []
        for other in try text(.alsoRight).split(separator: "|") {
            guard let id = Int(other) else {
                throw table.failure(at: columns[.alsoRight] ?? 0, "“\(other)” is not a geonameid")
            }
            others.append(id)
        }
        switch kind {
        case "place", "read_as":
            guard let id = Int(answer) else {
                throw table.failure(at: columns[.answer] ?? 0, "“\(answer)” is not a geonameid")
            }
            expected = kind == "place" ? .place([id] + others) : .readAs([id] + others)
        case "point":
            let numbers = answer.split(separator: ",").map { Double($0) }
            guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
                let point = Coordinate(latitude: latitude, longitude: longitude)
            else {
                throw table.failure(at: columns[.answer] ?? 0, "“\(answer)” is not a point like 47.6,-122.3")
            }
            expected = .point(point)
        case "invalid": expected = .badCoordinates
        case "admin1": expected = .admin1(answer, orPlace: others)
        case "country": expected = .country(answer, orPlace: others)
        case "ambiguous": expected = .ambiguous
        case "none": expected = .none
        default:
            throw table.failure(
                at: columns[.kind] ?? 0,
                "the kind “\(kind)” is not one of place, read_as, admin1, country, point, invalid, ambiguous and none"
            )
        }
        line = table.line
        self.text = try text(.text)
        group = try text(.group)
        let latitude = try degrees(.latitude, 90)
        let longitude = try degrees(.longitude, 180)
        let code = try text(.country)
        country = code.isEmpty ? nil : code
        near = latitude.flatMap { north in longitude.map { Coordinate(clamping: north, $0) } }
    }
}

/// How many texts with a known answer come out right.
package struct ForwardScore: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        case right
        /// The answer is ambiguous, with the right place first.
        case unsure
        case wrong
    }

    package struct Tally: Sendable, Hashable {
        package var right = 0
        package var unsure = 0
        package var all = 0

        /// The percentage with the right place first; nil if there were no texts.
        package var percent: Double? { all > 0 ? Double(right + unsure) / Double(all) * 100 : nil }
    }

    package struct Miss: Sendable, Hashable {
        package let question: ForwardQuestion
        package let answer: ForwardAnswer
        package let verdict: Verdict
    }

    package private(set) var total = Tally()
    /// By `ForwardQuestion.group`.
    package private(set) var groups: [String: Tally] = [:]
    /// The wrong and unsure ones.
    package private(set) var misses: [Miss] = []

    /// Looks up every text in a gazetteer.
    package init(of gazetteer: Gazetteer, at questions: [ForwardQuestion]) {
        for question in questions {
            let answer = gazetteer.forward(
                question.text, near: question.near, country: question.country)
            let verdict = Self.verdict(answer, question.expected)
            count(verdict, in: question.group)
            if verdict != .right {
                misses.append(Miss(question: question, answer: answer, verdict: verdict))
            }
        }
    }

    private mutating func count(_ verdict: Verdict, in group: String) {
        func count(_ tally: inout Tally) {
            tally.all += 1
            if verdict == .right { tally.right += 1 }
            if verdict == .unsure { tally.unsure += 1 }
        }
        count(&total)
        count(&groups[group, default: Tally()])
    }

    package static func verdict(
        _ answer: ForwardAnswer, _ expected: ForwardQuestion.Expected
    ) -> Verdict {
        switch (answer, expected) {
        case (.match(let match), _): isRight(match, expected) ? .right : .wrong
        case (.ambiguous, .ambiguous), (.noMatch, .none), (.badCoordinates, .badCoordinates): .right
        case (.ambiguous(let matches), _):
            matches.first.map { isRight($0, expected) } ?? false ? .unsure : .wrong
        case (.noMatch, _), (.badCoordinates, _): .wrong
        }
    }

    private static func isRight(_ match: PlaceMatch, _ expected: ForwardQuestion.Expected) -> Bool {
        func isOne(of ids: [Int]) -> Bool { match.place.map { ids.contains($0.geonameid) } ?? false }
        switch expected {
        case .place(let ids): return match.unread == nil && isOne(of: ids)
        case .readAs(let ids): return match.unread != nil && isOne(of: ids)
        case .admin1(let code, let ids):
            return match.kind == .admin1 && match.admin1?.code == code || isOne(of: ids)
        case .country(let code, let ids):
            return match.kind == .country && match.country?.code == code || isOne(of: ids)
        case .point(let point): return match.kind == .point && match.coordinate.distance(to: point) <= 10
        case .badCoordinates, .ambiguous, .none: return false
        }
    }
}
