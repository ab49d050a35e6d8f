package import Gazetteer

/// How many points with a known answer come out right.
package struct TruthScore: Sendable, Hashable {
    /// What an answer can be right about.
    package enum Question: String, Sendable, CaseIterable {
        case country
        case admin1
        case place
        case city
        /// That there is no country. A point of the sea that gets a country counts as a miss here, not under country.
        case sea
    }

    package struct Tally: Sendable, Hashable {
        package var right: Int
        package var all: Int

        package init(right: Int = 0, all: Int = 0) {
            self.right = right
            self.all = all
        }

        /// The percentage of right answers; nil if there were none to check.
        package var percent: Double? { all > 0 ? Double(right) / Double(all) * 100 : nil }
    }

    package struct Miss: Sendable, Hashable {
        package let point: TruthPoint
        package let question: Question
        /// Empty for none.
        package let answered: String
        package let expected: String
    }

    package private(set) var totals: [Question: Tally] = [:]
    /// By `TruthPoint.group`.
    package private(set) var groups: [String: [Question: Tally]] = [:]
    package private(set) var misses: [Miss] = []

    package init() {}

    /// Looks up every point in a gazetteer.
    package init(of gazetteer: Gazetteer, at points: [TruthPoint]) {
        for point in points { add(gazetteer.reverse(point.coordinate), at: point) }
    }

    package mutating func add(_ answer: ReverseAnswer, at point: TruthPoint) {
        let country = answer.country?.code ?? ""
        let question = point.isAtSea ? Question.sea : .country
        let expected = point.countries.map { $0.isEmpty ? "none" : $0 }.joined(separator: " or ")
        count(question, point.countries.contains(country), country, expected, point)
        if let admin1 = point.admin1 {
            let answered = answer.admin1?.code ?? ""
            count(.admin1, answered == admin1, answered, admin1, point)
        }
        if let geonameid = point.geonameid {
            let answered = answer.place.map { "\($0.geonameid) \($0.name)" } ?? ""
            count(.place, answer.place?.geonameid == geonameid, answered, "\(geonameid)", point)
        }
        if let expected = point.city {
            let city = answer.city(at: point.coordinate)?.city
            let answered = city.map { "\($0.geonameid) \($0.name)" } ?? ""
            count(.city, city?.geonameid == expected, answered, "\(expected)", point)
        }
    }

    private mutating func count(
        _ question: Question, _ isRight: Bool, _ answered: String, _ expected: String, _ point: TruthPoint
    ) {
        let right = isRight ? 1 : 0
        totals[question, default: Tally()].all += 1
        totals[question, default: Tally()].right += right
        groups[point.group, default: [:]][question, default: Tally()].all += 1
        groups[point.group, default: [:]][question, default: Tally()].right += right
        if !isRight {
            misses.append(Miss(point: point, question: question, answered: answered, expected: expected))
        }
    }
}
