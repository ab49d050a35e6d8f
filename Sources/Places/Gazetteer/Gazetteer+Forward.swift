extension Gazetteer {
    /// A candidate outweighs the next if it weighs this many times as much.
    package static let dominance = 5.0
    /// A text with more parts or words is not a place; the number of ways to cut it grows with their square.
    static let mostParts = 8
    static let mostWords = 24

    /// Finds the place that a text names.
    ///
    /// The text is a place alone, or with the divisions and countries it lies in, by name, ISO code, GeoNames
    /// code or common abbreviation, in any order, with or without commas ("Seattle, WA", "USA, IL,
    /// Springfield", "paris france"). A larger place nearby may stand for a region ("Harlem, NYC"). Case,
    /// diacritics and punctuation are ignored (`NameFolding`), and so are postal codes and words such as
    /// "downtown" if nothing is found with them. "St.", "Ft." and "Mt." are "Saint", "Fort" and "Mount",
    /// and "ue" may be "ü".
    ///
    /// A country's name gives its capital, a division's name the division's most populous place.
    ///
    /// If no name matches, the search allows one wrong letter, or two from eight letters on (`SpellingIndex`); the
    /// answer then says so (`PlaceMatch.Quality`). A guess at a small place that no region confirms is not a
    /// match but a suggestion.
    ///
    /// The weights are those of `ForwardResolver`. The best candidate is the match if it weighs at least
    /// `dominance` times the next; otherwise the answer is ambiguous. A candidate within 25 km of a heavier one
    /// counts as the same place here. A text of more than 8 parts or 24 words matches nothing.
    ///
    /// - Parameters:
    ///   - near: candidates near it weigh more: a hundred times at the place itself, fifty at 50 km, twice
    ///     at 500 km.
    ///   - limit: the most candidates in an answer, at least 2.
    package func forward(_ text: String, near: Coordinate? = nil, limit: Int = 5) -> ForwardAnswer {
        let query = ForwardQuery(text)
        guard !query.isEmpty, text.utf8.count <= 1_000, query.parts.count <= Self.mostParts,
            query.wordCount <= Self.mostWords
        else { return .noMatch(suggestions: []) }
        let readings = query.readings
        var resolver = ForwardResolver(gazetteer: self, near: near)
        for withVariants in [false, true] {
            for reading in readings {
                let found = resolver.exact(reading, withVariants: withVariants)
                guard !found.isEmpty else { continue }
                let isWeak = found.allSatisfy {
                    $0.weight < ForwardResolver.weakness && ($0.quality == .alternateName || withVariants)
                }
                return isWeak
                    ? answer(found, orRather: resolver.likely(query.plain), limit: limit)
                    : answer(found, limit: limit)
            }
        }
        let likely = resolver.likely(query.plain)
        if !likely.isEmpty {
            let isSure = likely.contains { $0.weight >= ForwardResolver.surenessOfGuess }
            return isSure
                ? answer(likely, limit: limit) : .noMatch(suggestions: candidates(likely, limit: limit))
        }
        let loose = resolver.ignoringRegions(query.plain)
        return .noMatch(suggestions: candidates(loose, limit: limit))
    }

    /// A rare name of a small place may be a misspelt well-known name: then the text is ambiguous.
    private func answer(
        _ found: [ForwardCandidate], orRather likely: [ForwardCandidate], limit: Int
    ) -> ForwardAnswer {
        let both = answer(ForwardResolver.merged(found + likely), limit: limit)
        guard case .match(let match) = both else { return both }
        switch match.quality {
        case .name, .alternateName: return both
        case .corrected, .completed:
            let rare = answer(found, limit: limit)
            let others: [PlaceMatch] =
                switch rare {
                case .match(let match): [match]
                case .ambiguous(let matches): matches
                case .noMatch: []
                }
            return .ambiguous([match] + others.prefix(max(limit, 2) - 1))
        }
    }

    private func answer(_ found: [ForwardCandidate], limit: Int) -> ForwardAnswer {
        let distinct = distinct(found, limit: limit)
        let matches = candidates(found, limit: limit)
        guard let best = distinct.first, let top = matches.first else { return .noMatch(suggestions: []) }
        let isDominant = matches.count == 1 || best.weight >= Self.dominance * distinct[1].weight
        return isDominant ? .match(top) : .ambiguous(matches)
    }

    private func candidates(_ found: [ForwardCandidate], limit: Int) -> [PlaceMatch] {
        let total = found.reduce(0) { $0 + $1.weight }
        return distinct(found, limit: limit).compactMap { candidate in
            guard let country = country(country(ofPlace: candidate.place)) else { return nil }
            return PlaceMatch(
                place: place(candidate.place), country: country,
                admin1: admin1(admin1(ofPlace: candidate.place)), kind: candidate.kind,
                quality: candidate.quality, score: total > 0 ? candidate.weight / total : 0)
        }
    }

    /// The heaviest, none of them within 25 km of a heavier one.
    private func distinct(_ found: [ForwardCandidate], limit: Int) -> [ForwardCandidate] {
        let ranked = found.sorted { left, right in
            left.weight != right.weight
                ? left.weight > right.weight
                : geonameid(ofPlace: left.place) < geonameid(ofPlace: right.place)
        }
        var distinct: [ForwardCandidate] = []
        for candidate in ranked where distinct.count < max(limit, 2) {
            let here = coordinate(ofPlace: candidate.place)
            let isNew = distinct.allSatisfy { coordinate(ofPlace: $0.place).distance(to: here) > 25_000 }
            if isNew { distinct.append(candidate) }
        }
        return distinct
    }
}
