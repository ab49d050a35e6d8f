extension Gazetteer {
    /// A place outweighs its namesakes when it has this many times the runner-up's weight.
    package static let dominance = 5.0

    /// Finds the place that a text names.
    ///
    /// The text is a name, or names from the smallest to the largest with commas between ("Seattle,
    /// WA", "Springfield, IL, USA"); what follows the first name must be a country or a division, by
    /// name, ISO code or GeoNames code. Without a comma the last words are tried as such too
    /// ("Paris France"). Case, diacritics and punctuation are ignored: see `NameFolding`.
    ///
    /// A text that is a country's name answers the country's capital, else its most populous place;
    /// a division's name that no place bears answers the division's most populous place.
    ///
    /// A candidate weighs its population + 1 000, a fifth of that where the name is an alternate one,
    /// and a tenth where it is a section of a place or the text an ISO code ("LA" is a city first). The best is the match when it weighs at least
    /// `dominance` times the next; else the answer is ambiguous. A candidate within 25 km of a
    /// weightier one is the same place for this purpose.
    package func forward(_ text: String, limit: Int = 5) -> ForwardAnswer {
        let parts = text.split(separator: ",").map { NameFolding.key(String($0)) }.filter { !$0.isEmpty }
        guard let first = parts.first, text.utf8.count <= 1_000 else { return .noMatch }
        if parts.count > 1 {
            let whole = resolve(first, qualifiers: parts.dropFirst().map { regions(named: $0) })
            return answer(whole, limit: limit)
        }
        let direct = resolve(first, qualifiers: [])
        guard direct.isEmpty else { return answer(direct, limit: limit) }
        let words = first.split(separator: 0x20)
        for split in stride(from: words.count - 1, to: 0, by: -1) {
            let regions = regions(named: Array(words[split...].joined(separator: [0x20])))
            guard !regions.isEmpty else { continue }
            let found = resolve(Array(words[..<split].joined(separator: [0x20])), qualifiers: [regions])
            if !found.isEmpty { return answer(found, limit: limit) }
        }
        return .noMatch
    }

    private enum Region {
        case country(UInt16)
        case admin1(UInt16)
    }

    private struct Candidate {
        var place: Int
        var kind: PlaceMatch.Kind
        var weight: Double
    }

    private func regions(named key: [UInt8]) -> [Region] {
        var found: [Region] = []
        names.forEachClaim(of: key) { kind, target in
            switch kind {
            case .country, .countryCode: found.append(.country(UInt16(truncatingIfNeeded: target)))
            case .admin1, .admin1Code: found.append(.admin1(UInt16(truncatingIfNeeded: target)))
            case .place, .placeAlternate: break
            }
        }
        return found
    }

    private func resolve(_ key: [UInt8], qualifiers: [[Region]]) -> [Candidate] {
        var places: [Int: Candidate] = [:]
        var divisions: [Candidate] = []
        var countries: [Candidate] = []
        names.forEachClaim(of: key) { kind, target in
            switch kind {
            case .place, .placeAlternate:
                guard target < self.places.count / PlaceRecord.size, matches(target, qualifiers) else {
                    return
                }
                var weight = weight(ofPlace: target)
                if kind == .placeAlternate { weight /= 5 }
                if target >= header.treePlaceCount { weight /= 10 }
                if weight > places[target]?.weight ?? 0 {
                    places[target] = Candidate(place: target, kind: .place, weight: weight)
                }
            case .admin1:
                guard let place = largestPlace(ofAdmin1: target), matches(place, qualifiers) else { return }
                divisions.append(
                    Candidate(place: place, kind: .admin1, weight: weight(ofPlace: place))
                )
            case .country:
                guard let place = capital(ofCountry: target), matches(place, qualifiers) else { return }
                countries.append(Candidate(place: place, kind: .country, weight: weight(ofPlace: place)))
            case .countryCode:
                guard let place = capital(ofCountry: target), qualifiers.isEmpty else { return }
                let weight = weight(ofPlace: place) / 10
                if weight > places[place]?.weight ?? 0 {
                    places[place] = Candidate(place: place, kind: .country, weight: weight)
                }
            case .admin1Code: break
            }
        }
        if qualifiers.isEmpty, !countries.isEmpty { return countries }
        return places.isEmpty ? (divisions.isEmpty ? countries : divisions) : Array(places.values)
    }

    private func weight(ofPlace place: Int) -> Double {
        Double(population(ofPlace: place)) + 1_000
    }

    /// Whether a place lies in one region of every qualifier.
    private func matches(_ place: Int, _ qualifiers: [[Region]]) -> Bool {
        qualifiers.allSatisfy { regions in
            regions.contains { region in
                switch region {
                case .country(let index): country(ofPlace: place) == index
                case .admin1(let index): admin1(ofPlace: place) == index
                }
            }
        }
    }

    private func answer(_ candidates: [Candidate], limit: Int) -> ForwardAnswer {
        let ranked = candidates.sorted { left, right in
            left.weight != right.weight
                ? left.weight > right.weight
                : geonameid(ofPlace: left.place) < geonameid(ofPlace: right.place)
        }
        var distinct: [Candidate] = []
        for candidate in ranked where distinct.count < max(limit, 2) {
            let here = coordinate(ofPlace: candidate.place)
            let isNew = distinct.allSatisfy { coordinate(ofPlace: $0.place).distance(to: here) > 25_000 }
            if isNew { distinct.append(candidate) }
        }
        guard let best = distinct.first else { return .noMatch }
        let total = ranked.reduce(0) { $0 + $1.weight }
        let matches = distinct.compactMap { match($0, total: total) }
        guard let top = matches.first else { return .noMatch }
        let isDominant = distinct.count == 1 || best.weight >= Self.dominance * distinct[1].weight
        return isDominant || matches.count == 1
            ? .match(top) : .ambiguous(Array(matches.prefix(max(limit, 2))))
    }

    private func match(_ candidate: Candidate, total: Double) -> PlaceMatch? {
        guard let country = country(country(ofPlace: candidate.place)) else { return nil }
        return PlaceMatch(
            place: place(candidate.place), country: country, admin1: admin1(admin1(ofPlace: candidate.place)),
            kind: candidate.kind, score: total > 0 ? candidate.weight / total : 0)
    }
}
