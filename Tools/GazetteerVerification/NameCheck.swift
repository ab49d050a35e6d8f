package import Gazetteer

/// Asks a gazetteer for every country, first-level division and city of 100,000 by its name.
///
/// A name must return what has it, or say that it is ambiguous with that among the candidates. A country may be answered
/// by the city that it hardly exceeds ("Singapore"), a division by a town in it or within its radius ("Zürich", "Lima"),
/// or by the country of its name ("Luxembourg"), and a city by one within 25 km ("Haikou", which is listed twice).
package struct NameCheck: Sendable {
    package struct Tally: Sendable, Hashable, CustomStringConvertible {
        package var itself = 0
        /// Something of its name there: see `NameCheck`.
        package var namesake = 0
        package var ambiguous = 0
        /// The index has no place of the region.
        package var empty = 0
        package var exceptions = 0

        package var all: Int { itself + namesake + ambiguous + empty + exceptions }

        package var description: String {
            "\(all) asked, \(itself) itself, \(namesake) something of its name there, \(ambiguous) ambiguous, "
                + "\(empty) without places, \(exceptions) something else"
        }
    }

    /// Something else was answered.
    package struct Exception: Sendable, Hashable, CustomStringConvertible {
        package let text: String
        package let expected: String
        package let answer: String
        /// The index has no place of the region, so it cannot be an answer.
        package let isEmpty: Bool

        package var description: String {
            "\(text): expected \(expected), answered \(answer)"
                + (isEmpty ? " (the index has no place of it)" : "")
        }
    }

    /// By "country name", "country code", "division" and "city".
    package private(set) var tallies: [String: Tally] = [:]
    package private(set) var exceptions: [Exception] = []

    /// - Parameter codes: further codes of countries, by ISO 3166-1 alpha-2; the index does not list alpha-3.
    package init(of gazetteer: Gazetteer, codes: [String: String] = [:]) {
        let regions = gazetteer.regions
        let (countriesWithPlaces, divisionsWithPlaces) = Self.regionsWithPlaces(gazetteer)
        for (number, country) in regions.countries.enumerated() {
            let isEmpty = !countriesWithPlaces.contains(number)
            let names =
                [("country name", country.name), ("country code", country.code)]
                + (codes[country.code].map { [("country code", $0)] } ?? [])
            for (kind, text) in names {
                ask(gazetteer, text, kind, isEmpty: isEmpty, expected: "country \(country.code)") { match in
                    if match.kind == .country { return match.country == country ? .itself : nil }
                    return match.kind == .place && match.country == country ? .namesake : nil
                }
            }
        }
        for (number, division) in regions.admin1s.enumerated() {
            let isEmpty = !divisionsWithPlaces.contains(number)
            let text = "\(division.admin1.name), \(division.country.name)"
            ask(gazetteer, text, "division", isEmpty: isEmpty, expected: "division \(division.admin1.code)") {
                match in
                if match.kind == .admin1 { return match.admin1?.code == division.admin1.code ? .itself : nil }
                if match.kind == .country { return match.country == division.country ? .namesake : nil }
                if match.admin1?.code == division.admin1.code { return .namesake }
                let extent = gazetteer.extent(ofAdmin1: number)
                return extent.map { match.coordinate.distance(to: $0.coordinate) <= $0.radiusMetres } ?? false
                    ? .namesake : nil
            }
        }
        for number in 0..<gazetteer.info.placeCount where gazetteer.population(ofPlace: number) >= 100_000 {
            let place = gazetteer.place(number)
            guard let country = gazetteer.country(gazetteer.country(ofPlace: number)) else { continue }
            ask(
                gazetteer, "\(place.name), \(country.name)", "city", isEmpty: false,
                expected: "\(place.geonameid)"
            ) { match in
                if match.place?.geonameid == place.geonameid { return .itself }
                return match.kind == .place && match.coordinate.distance(to: place.coordinate) <= 25_000
                    ? .namesake : nil
            }
        }
    }

    /// Asks for every country by the names of a table, and for every division by these with its country's.
    ///
    /// - Parameter names: the code of a region as in the input `regionNames.tsv`, and a name in any language. A region that the
    ///   index does not have is left out.
    package mutating func ask(_ gazetteer: Gazetteer, _ names: [(code: String, name: String)]) {
        let regions = gazetteer.regions
        let countries = Dictionary(regions.countries.enumerated().map { ($1.code, ($0, $1)) }) { first, _ in
            first
        }
        let divisions = Dictionary(regions.admin1s.enumerated().map { ($1.admin1.code, ($0, $1)) }) {
            first, _ in first
        }
        let (countriesWithPlaces, divisionsWithPlaces) = Self.regionsWithPlaces(gazetteer)
        for (code, name) in names {
            if let (number, country) = countries[code] {
                let isEmpty = !countriesWithPlaces.contains(number)
                ask(
                    gazetteer, name, "country in all languages", isEmpty: isEmpty, expected: "country \(code)"
                ) { match in
                    if match.kind == .country { return match.country == country ? .itself : nil }
                    return match.country == country ? .namesake : nil
                }
            } else if let (number, division) = divisions[code] {
                let text = "\(name), \(division.country.name)"
                ask(
                    gazetteer, text, "division in all languages",
                    isEmpty: !divisionsWithPlaces.contains(number), expected: "division \(code)"
                ) { match in
                    if match.admin1?.code == code { return match.kind == .admin1 ? .itself : .namesake }
                    let extent = gazetteer.extent(ofAdmin1: number)
                    return extent.map { match.coordinate.distance(to: $0.coordinate) <= $0.radiusMetres }
                        ?? false
                        ? .namesake : nil
                }
            }
        }
    }

    /// The numbers of the countries and divisions that have a place.
    private static func regionsWithPlaces(_ gazetteer: Gazetteer) -> (
        countries: Set<Int>, divisions: Set<Int>
    ) {
        let places = 0..<gazetteer.info.placeCount
        return (
            Set(places.map { Int(gazetteer.country(ofPlace: $0)) }),
            Set(places.map { Int(gazetteer.admin1(ofPlace: $0)) })
        )
    }

    private enum Fit { case itself, namesake }

    private mutating func ask(
        _ gazetteer: Gazetteer, _ text: String, _ kind: String, isEmpty: Bool, expected: String,
        fit: (PlaceMatch) -> Fit?
    ) {
        let answer = gazetteer.forward(text, limit: 50)
        var tally = tallies[kind, default: Tally()]
        defer { tallies[kind] = tally }
        switch answer {
        case .match(let match):
            switch match.unread == nil ? fit(match) : nil {
            case .itself: tally.itself += 1
            case .namesake: tally.namesake += 1
            case nil: refuse()
            }
        case .ambiguous(let matches):
            if matches.contains(where: { fit($0) != nil }) { tally.ambiguous += 1 } else { refuse() }
        case .noMatch where isEmpty: tally.empty += 1
        case .noMatch, .badCoordinates: refuse()
        }

        func refuse() {
            tally.exceptions += 1
            let matches = answer.matches.prefix(3).map {
                ($0.place.map { "\($0.geonameid) " } ?? "") + "\($0.label) [\($0.kind.rawValue)]"
            }
            exceptions.append(
                Exception(
                    text: text, expected: expected,
                    answer: ([answer.name] + matches).joined(separator: "; "), isEmpty: isEmpty))
        }
    }
}
