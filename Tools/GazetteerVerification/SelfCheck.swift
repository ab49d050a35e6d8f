package import Gazetteer

/// What a gazetteer returns at the own point of each of its places.
///
/// It covers every place, capital and division, so it shows faults that samples miss: a city whose polygon belongs to
/// its neighbour, or a division that no point gets.
package struct SelfCheck: Sendable {
    package struct Named: Sendable, Hashable {
        package let place: Place
        package let admin1: Admin1?
    }

    /// A place whose own point gets something else.
    package struct Miss: Sendable, Hashable {
        package enum Question: String, Sendable, CaseIterable {
            /// Another place, more than `SelfCheck.farMetres` away, or none.
            case place
            case country
            case division
            /// A city of at least `SelfCheck.cityPopulation`, or a capital, that gets neither its own name nor that of
            /// the city that it is part of.
            case city
            case capital
        }

        package let question: Question
        package let place: Named
        package let country: Country?
        package let answer: String
        package let metres: Double?
        package let reason: Reason
    }

    /// Why a place's own point gets something else.
    package enum Reason: String, Sendable, CaseIterable {
        /// Another place has the same coordinates and more inhabitants, or a lower number.
        case samePoint = "another place has the same coordinates"
        /// The place lies within another country's polygon, and a place of that country is as near.
        case foreignPolygon = "it lies in another country's polygon"
        case unexplained = "no rule explains it"
    }

    package static let farMetres = 2_000.0
    package static let cityPopulation = 100_000

    package private(set) var places = 0
    package private(set) var cities = 0
    package private(set) var capitals = 0
    package private(set) var divisions = 0
    package private(set) var misses: [Miss] = []
    /// Large cities that are named as part of a larger one, with its name.
    package private(set) var parts: [(place: Named, city: Place)] = []
    /// Divisions that no point gets: none has a polygon, and no place's own point gets them. With their places'
    /// inhabitants.
    package private(set) var unreached: [(division: Admin1, places: Int, people: Int)] = []

    /// What is named around the places, for each of the distances that were asked.
    package let surroundings: [Surroundings]

    /// - Parameter distances: how far from the places' own points to look as well, in metres.
    package init(of gazetteer: Gazetteer, around distances: [Double] = []) {
        surroundings = distances.map { Surroundings(of: gazetteer, metres: $0) }
        // A point within a division's polygon gets it, even if no place is there.
        var reached = gazetteer.borders?.divisions ?? []
        var members: [UInt16: (places: Int, people: Int)] = [:]
        let capitals = Set(gazetteer.capitals)
        places = gazetteer.info.placeCount
        self.capitals = capitals.count
        divisions = gazetteer.info.admin1Count
        for number in 0..<places {
            let answer = gazetteer.reverse(gazetteer.coordinate(ofPlace: number))
            if let division = answer.admin1Index { reached.insert(division) }
            let own = gazetteer.admin1(ofPlace: number)
            members[own, default: (0, 0)].places += 1
            members[own, default: (0, 0)].people += gazetteer.population(ofPlace: number)
            check(number, own, answer, gazetteer, isCapital: capitals.contains(number))
        }
        for division in 0..<UInt16(divisions) where !reached.contains(division) {
            guard let named = gazetteer.admin1(division) else { continue }
            let (places, people) = members[division] ?? (0, 0)
            unreached.append((named, places, people))
        }
        unreached.sort { ($1.people, $0.division.code) < ($0.people, $1.division.code) }
    }

    private mutating func check(
        _ number: Int, _ own: UInt16, _ answer: ReverseAnswer, _ gazetteer: Gazetteer, isCapital: Bool
    ) {
        let isSame = answer.placeIndex == number
        let place = gazetteer.place(number)
        let isCity = place.population >= Self.cityPopulation
        if isCity { cities += 1 }
        if !isSame {
            let metres = answer.place.map { $0.coordinate.distance(to: place.coordinate) }
            if metres ?? .infinity > Self.farMetres { add(.place, number, answer, gazetteer) }
            if answer.countryIndex != gazetteer.country(ofPlace: number) {
                add(.country, number, answer, gazetteer)
            }
        }
        if own != IndexFormat.none16, answer.admin1Index != own { add(.division, number, answer, gazetteer) }
        guard isCity || isCapital else { return }
        let city = answer.city(at: place.coordinate)?.city
        if let city, city.geonameid != place.geonameid, isSame, isCity {
            parts.append((Named(place: place, admin1: gazetteer.admin1(own)), city))
        }
        if !isSame, city?.geonameid != place.geonameid {
            add(isCapital ? .capital : .city, number, answer, gazetteer)
        }
    }

    private mutating func add(
        _ question: Miss.Question, _ number: Int, _ answer: ReverseAnswer, _ gazetteer: Gazetteer
    ) {
        let place = gazetteer.place(number)
        let metres = answer.place.map { $0.coordinate.distance(to: place.coordinate) }
        let names = [answer.place?.name, answer.admin1?.name, answer.country?.code].compactMap { $0 }
        let reason: Reason =
            metres == 0
            ? .samePoint : gazetteer.polygonRule(ofPlace: number) == .agrees ? .unexplained : .foreignPolygon
        misses.append(
            Miss(
                question: question,
                place: Named(
                    place: place, admin1: gazetteer.admin1(gazetteer.admin1(ofPlace: number))),
                country: gazetteer.country(gazetteer.country(ofPlace: number)),
                answer: names.isEmpty ? "nothing" : names.joined(separator: ", "), metres: metres,
                reason: reason))
    }

    /// How far a place keeps its name, in metres.
    package static let ownMetres = 1_000.0

    /// Whether every miss has a reason, and at most 1 % of the points near places lose the place's name.
    package var isExplained: Bool {
        misses.allSatisfy { $0.reason != .unexplained }
            && surroundings.allSatisfy { $0.metres > Self.ownMetres || $0.lost * 100 <= $0.points }
    }

    /// The misses of one question.
    package func misses(_ question: Miss.Question) -> [Miss] { misses.filter { $0.question == question } }
}
