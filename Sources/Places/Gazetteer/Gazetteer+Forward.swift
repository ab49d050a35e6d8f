extension Gazetteer {
    /// A candidate outweighs the next if it weighs this many times as much,
    package static let dominance = 5.0
    /// a place outweighs another that is called so itself if it is this many times as large,
    package static let dominanceOverNamesakes = 10.0
    /// and this many times if a hint says where the person is.
    package static let dominanceWithHint = 2.5
    /// A text with more bytes, parts or words is not a place; the number of ways to cut it grows with their square.
    static let mostBytes = 1_000
    static let mostParts = 8
    static let mostWords = 24
    /// An address with more parts than a place has is only read from its regions: see `ForwardAddress`.
    static let mostPartsOfAddress = 16
    static let mostWordsOfAddress = 64
    /// Finds what a text names: a place, a country or division, or a point.
    ///
    /// The text is a name alone, or with the divisions and countries it lies in, by name, ISO code, GeoNames
    /// code or common abbreviation, in any order, with or without commas ("Seattle, WA", "USA, IL,
    /// Springfield", "paris france"). A larger place nearby may stand for a region ("Harlem, NYC"). Case,
    /// diacritics and punctuation are ignored (`NameFolding`), and so are postal codes and words such as
    /// "downtown" if nothing is found with them. "St.", "Ft." and "Mt." are "Saint", "Fort" and "Mount",
    /// and "ue" may be "ü". `WrittenCoordinates` says which notations of coordinates are read.
    ///
    /// An island or sight is its town, and an island may stand for a region (`TownAliases`).
    ///
    /// A country's or division's name gives the country or division, without a place.
    ///
    /// If no name matches, the search allows one wrong letter, or two from eight letters on (`TypoWalk`); the
    /// answer then says so (`PlaceMatch.Quality`). A misspelt country is only suggested, since it may be another country
    /// in another language. A guess at a small place that no region confirms is not a
    /// match but a suggestion. An address or landmark with its city gives the city: see `ForwardAddress`.
    ///
    /// The weights are those of `ForwardCandidate`. The best candidate is the match if it weighs enough times as much
    /// as each other one (`dominance`); otherwise the answer is ambiguous. A country's code is only outweighed by another
    /// country, or by the initials of a city with more people. A place within 25 km of a heavier one of its
    /// division counts as the same place here. A text of more than 8 parts or 24 words is only
    /// read as an address in regions, and matches nothing with more than 16 parts or 64 words.
    ///
    /// - Parameters:
    ///   - near: where the person is: what is near weighs more.
    ///   - country: the person's country, ISO 3166-1 alpha-2 in any case: what is in it weighs more. An unknown code
    ///     has no effect.
    ///   - limit: the most candidates in an answer, at least 2.
    package func forward(
        _ text: String, near: Coordinate? = nil, country: String? = nil, limit: Int = 5
    ) -> ForwardAnswer {
        guard text.utf8.count <= Self.mostBytes else { return .noMatch(suggestions: []) }
        if let name = WrittenCoordinates.searched(text) {
            return forward(name, near: near, country: country, limit: limit)
        }
        switch WrittenCoordinates.read(text) {
        case .point(let written): return .match(match(written))
        case .fault(let fault): return .badCoordinates(fault)
        case nil: break
        }
        // What an address of the web is about stands in its page.
        guard !text.contains("://") else { return .noMatch(suggestions: []) }
        if let answer = pointBesideName(text, limit: limit) { return answer }
        let whole = ForwardQuery(text)
        guard whole.hasName else { return .noMatch(suggestions: []) }
        var resolver = ForwardResolver(
            gazetteer: self, hint: hint(near: near, country: country), text: text)
        guard let query = boundedQuery(text) else {
            let isBounded =
                whole.parts.count <= Self.mostPartsOfAddress && whole.wordCount <= Self.mostWordsOfAddress
            return isBounded
                ? ForwardAddress(whole, of: text).answerInRegions(&resolver, limit: limit)
                    ?? .noMatch(suggestions: [])
                : .noMatch(suggestions: [])
        }
        let (found, isAsTyped, withVariants) = resolver.exact(readings: query.readings)
        let address = ForwardAddress(query, of: text)
        if address.namesNoPlace(&resolver, found) {
            // Lake Tahoe is also another name of Stateline.
            return .noMatch(suggestions: candidates(found.filter { $0.quality == .name }, limit: limit))
        }
        if address.isInCapitals, let airports = resolver.airports(query, otherThan: found) {
            return eitherOf(airports, found, limit: limit)
        }
        if !found.isEmpty {
            let isWeak = found.allSatisfy {
                $0.weight < ForwardResolver.weakness && ($0.quality == .alternateName || withVariants)
            }
            guard isWeak else { return answer(found, limit: limit, hint: resolver.hint) }
            // "Central Station" is hardly the other name of a village that "Station" is.
            guard isAsTyped else { return .noMatch(suggestions: candidates(found, limit: limit)) }
            // "Central Park, New York" is a park before it is the former name of Bethpage.
            if !withVariants, let answer = address.answer(&resolver, isPlain: true, limit: limit) {
                // "Old Town, Prague" is Staré Město.
                let middle =
                    address.isOfMiddle ? found.filter { isIn($0, middleOf: answer.matches.first) } : []
                return middle.isEmpty ? answer : self.answer(middle, limit: limit, hint: resolver.hint)
            }
            return answer(found, orRather: resolver.likely(query.plain), limit: limit, hint: resolver.hint)
        }
        if let answer = answerUnspaced(query, &resolver, limit: limit) { return answer }
        if let answer = address.answerInRegions(&resolver, limit: limit) { return answer }
        if let answer = address.answer(&resolver, isPlain: true, limit: limit) { return answer }
        if address.isJoined, let stem = WordsOfNoPlace.stem(ofLastWord: text) {
            // "Shanghai's"
            let found = resolver.exact(readings: ForwardQuery(stem).readings).found
            if case .match(let match) = answer(found, limit: limit, hint: resolver.hint),
                match.quality == .name, match.place?.population ?? 0 >= Self.peopleOfOwner
            {
                return .match(match)
            }
        }
        let likely = resolver.likely(query.plain)
        if let best = likely.max(by: { $0.weight < $1.weight }),
            ForwardResolver.isSure(best, of: query.plain), !address.isJoined
        {
            return answer(likely, limit: limit, hint: resolver.hint)
        }
        if let answer = address.answer(&resolver, isPlain: false, limit: limit) { return answer }
        let loose = likely.isEmpty ? resolver.ignoringRegions(query.plain) : likely
        return .noMatch(suggestions: candidates(loose, limit: limit))
    }

    private func isIn(_ candidate: ForwardCandidate, middleOf city: PlaceMatch?) -> Bool {
        guard case .place(let place) = candidate.target, let city else { return false }
        return coordinate(ofPlace: place).distance(to: city.coordinate) <= Self.reachOfMiddle
    }

    /// Metres from a city's point to its oldest part.
    private static let reachOfMiddle = 5_000.0

    /// A city with as many is meant by its name with "'s" behind.
    private static let peopleOfOwner = 100_000

    /// The words of a text; nil if there are none, or more than a place has.
    func boundedQuery(_ text: String) -> ForwardQuery? {
        guard text.utf8.count <= Self.mostBytes else { return nil }
        let query = ForwardQuery(text)
        return !query.isEmpty && query.parts.count <= Self.mostParts && query.wordCount <= Self.mostWords
            ? query : nil
    }

    /// The code of a country that the index knows, in any case.
    package func hasCountry(_ code: String) -> Bool { countryNumber(code) != nil }

    private func countryNumber(_ code: String) -> UInt16? {
        let code = code.uppercased()
        return (0..<UInt16(countries.count / CountryRecord.size)).first { country($0)?.code == code }
    }

    func hint(near: Coordinate?, country: String?) -> ForwardHint {
        let answer = near.map { reverse($0) }
        return ForwardHint(
            near: near, nearCountry: answer?.countryIndex, nearAdmin1: answer?.division?.index,
            country: country.flatMap { countryNumber($0) })
    }

    /// Coordinates with fractions next to a name ("47.6062, -122.3321, Seattle") are the point, if it is not farther than
    /// `farFromName` from the place of the name. Nil if the text is not written like this.
    private func pointBesideName(_ text: String, limit: Int) -> ForwardAnswer? {
        let pieces = ForwardQuery.pieces(of: text).filter { !$0.isEmpty }
        let numbers = pieces.filter { piece in
            piece.contains { $0 == "." || $0 == "°" } && piece.contains(where: \.isNumber)
                && piece.split(whereSeparator: { !$0.isLetter }).allSatisfy { word in
                    word.count == 1 || AngleToken.hemisphere(word) != nil
                }
        }
        guard !numbers.isEmpty, numbers.count < pieces.count,
            let reading = WrittenCoordinates.read(numbers.joined(separator: ", "))
        else { return nil }
        guard case .point(let written) = reading else {
            // The name says where it is.
            if case .fault(let fault) = reading, fault != .openLongitude { return .badCoordinates(fault) }
            return nil
        }
        let name = pieces.filter { !numbers.contains($0) }.joined(separator: ", ")
        if case .match(let named) = forward(name, near: written.coordinate, limit: limit),
            named.coordinate.distance(to: written.coordinate) > (named.radiusMetres ?? 0) + Self.farFromName
        {
            return .badCoordinates(.place)
        }
        return .match(match(written))
    }

    /// Metres.
    static let farFromName = 50_000.0

    private func match(_ written: WrittenCoordinates) -> PlaceMatch {
        let answer = reverse(written.coordinate)
        return PlaceMatch(
            geonameid: nil, place: nil, country: answer.country, admin1: answer.admin1, county: nil,
            kind: .point,
            precision: .point, quality: .name, coordinate: written.coordinate,
            radiusMetres: written.uncertaintyMetres, score: 1, unread: nil)
    }

    /// A rare name of a small place may be a misspelt well-known name: then the text is ambiguous.
    private func answer(
        _ found: [ForwardCandidate], orRather likely: [ForwardCandidate], limit: Int, hint: ForwardHint
    ) -> ForwardAnswer {
        let both = answer(ForwardResolver.merged(found + likely), limit: limit, hint: hint)
        guard case .match(let match) = both else { return both }
        switch match.quality {
        case .name, .alternateName: return both
        case .corrected, .completed:
            let others = answer(found, limit: limit, hint: hint).matches.prefix(max(limit, 2) - 1)
            return either([match] + others)
        }
    }

    /// The best of each.
    func eitherOf(_ one: [ForwardCandidate], _ other: [ForwardCandidate], limit: Int) -> ForwardAnswer {
        either([one, other].flatMap { candidates($0, limit: limit).prefix(1) })
    }

    /// What was found in two ways may be one place.
    private func either(_ matches: [PlaceMatch]) -> ForwardAnswer {
        let first = matches.first
        let others = matches.dropFirst().filter { $0.kind != first?.kind || $0.geonameid != first?.geonameid }
        guard let first, others.isEmpty else { return .ambiguous(matches) }
        return .match(first)
    }

    func answer(_ found: [ForwardCandidate], limit: Int, hint: ForwardHint) -> ForwardAnswer {
        let distinct = distinct(found)
        guard let best = distinct.first else { return .noMatch(suggestions: []) }
        let rivals = distinct.dropFirst().filter { !outweighs(best, $0, hint) }
        guard let second = rivals.first else {
            return candidates(found, limit: 2).first.map { .match($0) } ?? .noMatch(suggestions: [])
        }
        // What makes the text ambiguous is named, even if many others weigh more.
        var shown = Array(distinct.prefix(max(limit, 2)))
        if !shown.contains(where: { $0.target == second.target }) { shown[shown.count - 1] = second }
        return .ambiguous(matches(shown, of: found))
    }

    private func outweighs(_ best: ForwardCandidate, _ rival: ForwardCandidate, _ hint: ForwardHint) -> Bool {
        let ratio = best.weight / rival.weight
        // A hint that fits both equally decides nothing.
        if best.hintFactor >= 2 * rival.hintFactor { return ratio >= Self.dominanceWithHint }
        if rival.isCountryCode, case .country(let number) = rival.target {
            // "NC" is North Carolina and New Caledonia; "LA" has more people than Laos has in its towns.
            guard best.isInitials, case .place(let place) = best.target else {
                return best.quality == .name && best.isCountry
            }
            return Double(population(ofPlace: place)) > people(ofCountry: number)
        }
        switch rival.target {
        case .place(let place) where rival.quality == .name && population(ofPlace: place) >= 100_000:
            // The country that the text gives does not tell two cities of one name apart, or a city and a division.
            return !best.isInCountry && ratio >= (best.isPlace ? Self.dominanceOverNamesakes : Self.dominance)
        case .place where rival.quality == .name && best.isPlace:
            // By their inhabitants, whatever a hint says.
            return ratio >= Self.dominance && best.people >= rival.people * Self.dominanceOverNamesakes
        case .admin1 where best.isInCountry:
            // "Lima, Peru" is the city in the region; elsewhere, a town is not the division of its name.
            guard best.isPlace, let one = extent(of: best.target), let other = extent(of: rival.target) else {
                return false
            }
            return ratio >= Self.dominance
                && one.coordinate.distance(to: other.coordinate) <= other.radiusMetres
        case .place, .admin1, .admin2, .country: return ratio >= Self.dominance
        }
    }

    func candidates(_ found: [ForwardCandidate], limit: Int) -> [PlaceMatch] {
        matches(distinct(found).prefix(max(limit, 2)), of: found)
    }

    private func matches(_ shown: some Sequence<ForwardCandidate>, of found: [ForwardCandidate])
        -> [PlaceMatch]
    {
        let total = found.reduce(0) { $0 + $1.weight }
        return shown.compactMap { match($0, score: total > 0 ? $0.weight / total : 0) }
    }

    func match(_ candidate: ForwardCandidate, score: Double) -> PlaceMatch? {
        guard let extent = extent(of: candidate.target) else { return nil }
        let (kind, precision): (PlaceMatch.Kind, PlaceMatch.Precision)
        var place: Int?
        var county: String?
        let admin1: UInt16
        let country: UInt16
        switch candidate.target {
        case .place(let number):
            (kind, precision) = (.place, isCity(number) ? .city : .place)
            (place, admin1, country) = (number, self.admin1(ofPlace: number), self.country(ofPlace: number))
            county = admin2(ofPlace: number).flatMap { name(ofAdmin2: $0) }
        case .admin1(let number):
            (kind, precision) = (.admin1, .division)
            admin1 = UInt16(truncatingIfNeeded: number)
            country = self.country(ofAdmin1: admin1)
        case .admin2(let number):
            guard let largest = largestPlace(ofAdmin2: number) else { return nil }
            (kind, precision) = (.admin2, .division)
            county = name(ofAdmin2: number)
            (admin1, country) = (self.admin1(ofPlace: largest), self.country(ofPlace: largest))
        case .country(let number):
            (kind, precision) = (.country, .country)
            (admin1, country) = (IndexFormat.none16, UInt16(truncatingIfNeeded: number))
        }
        let number =
            switch kind {
            case .place: place.map { Int(geonameid(ofPlace: $0)) }
            case .admin1, .admin2: geonameid(ofAdmin1: admin1)
            case .country: geonameid(ofCountry: country)
            case .point: nil as Int?
            }
        return PlaceMatch(
            geonameid: number, place: place.map { self.place($0) }, country: self.country(country),
            admin1: self.admin1(admin1),
            county: county, kind: kind, precision: precision, quality: candidate.quality,
            coordinate: extent.coordinate, radiusMetres: extent.radiusMetres, score: score, unread: nil)
    }

    /// The heaviest. A place within 25 km of a heavier one of its country and division counts as the same.
    private func distinct(_ found: [ForwardCandidate]) -> [ForwardCandidate] {
        let ranked = found.sorted { left, right in
            left.weight != right.weight
                ? left.weight > right.weight : order(left.target) < order(right.target)
        }
        var distinct: [ForwardCandidate] = []
        for candidate in ranked {
            let isElsewhere = distinct.allSatisfy { heavier in
                !isSame(candidate.target, heavier.target)
                    // Northampton in Pennsylvania is not the Northampton that became Allentown.
                    || candidate.quality == .name && heavier.isOutnamed
            }
            if isElsewhere { distinct.append(candidate) }
        }
        return distinct
    }

    private func isSame(_ one: ForwardTarget, _ other: ForwardTarget) -> Bool {
        guard case .place(let one) = one, case .place(let other) = other else { return one == other }
        return country(ofPlace: one) == country(ofPlace: other)
            && admin1(ofPlace: one) == admin1(ofPlace: other)
            && coordinate(ofPlace: one).distance(to: coordinate(ofPlace: other)) <= 25_000
    }

    /// Decides between equal weights.
    private func order(_ target: ForwardTarget) -> (Int, Int) {
        switch target {
        case .country(let number): (0, number)
        case .admin1(let number): (1, number)
        case .admin2(let number): (2, number)
        case .place(let place): (3, Int(geonameid(ofPlace: place)))
        }
    }
}
