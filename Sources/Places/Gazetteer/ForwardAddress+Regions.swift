extension ForwardAddress {
    /// Two towns that are named one after the other are near each other if they are not farther apart than this, in
    /// metres: a village and its district's capital.
    private static let reachMetres = 50_000.0

    /// Reads a text from its regions: "Yountville, Napa County, California, United States".
    ///
    /// The last part that is a country or division says where the text is, with the division before it. The first part
    /// that names a town there is the place. If the next town is not near it, or does not tell which of several it is,
    /// the next one is the place: "Dover, Orlando, Orange County, Florida" is in Orlando, and Dover may be anything. But the town
    /// right before the division may be a district's capital, far from its villages: then the text may be either. Parts
    /// before the place are not known. Parts after it that are not known, such as districts, change nothing. If one is another
    /// division or country that has a town of the name, the text may be either.
    ///
    /// Nil if there are fewer than three parts, or if no town is found. Without both country and division, a part that
    /// is left out must not look like a town, since the text then contradicts itself.
    func answerInRegions(_ resolver: inout ForwardResolver, limit: Int) -> ForwardAnswer? {
        guard query.parts.count > 2, let regions = regions(&resolver) else { return nil }
        var towns: [Town] = []
        for part in 0..<regions.first {
            if let town = self.town(part, &resolver, in: regions) { towns.append(town) }
        }
        // "Old Town, Orono, Maine, USA" is in Orono, though there is a town called so.
        let others = towns.filter { !Self.isMiddle(query.parts[$0.part]) }
        if !others.isEmpty { towns = others }
        guard var chosen = towns.first else { return nil }
        for next in towns.dropFirst() where next.isAsTyped {
            let near = chosen.found.filter { one in
                next.found.contains { resolver.gazetteer.isNear(one.target, $0.target, Self.reachMetres) }
            }
            if case .ambiguous = resolver.gazetteer.answer(near, limit: 2, hint: resolver.hint) {
                chosen = next
                break
            }
            if !near.isEmpty {
                chosen.found = near
                break
            }
            if chosen.isAsTyped, chosen.part + 1 == next.part, next.part + 1 == regions.first {
                return resolver.gazetteer.eitherOf(chosen.found, next.found, limit: limit)
            }
            chosen = next
        }
        // "Shelby Township" may be any Shelby.
        if !chosen.isAsTyped, chosen.part > 0, chosen.found.count > 1 {
            return .ambiguous(resolver.gazetteer.candidates(chosen.found, limit: limit))
        }
        let isComplete = regions.qualifiers.count > 1
        for part in 0..<chosen.part where !isComplete && !Self.isAddress(query.parts[part]) {
            if resolver.mayBePlace(ForwardQuery([query.parts[part]])) { return nil }
        }
        if chosen.part > 0, !isComplete, !regions.hasDivision { return nil }
        let answer = resolver.gazetteer.answer(chosen.found, limit: limit, hint: resolver.hint)
        guard case .match(var match) = answer else { return answer }
        let between = query.parts.indices.filter { $0 > chosen.part && $0 < regions.first }
        // "Paris, Texas, France" contradicts itself.
        for part in between where isWrong(part, of: chosen, &resolver, in: regions) {
            let named = self.regions(part: part, &resolver)
            if !named.isEmpty,
                let other = town(
                    chosen.part, &resolver, in: Regions(first: part, qualifiers: [named], hasDivision: false))
            {
                return resolver.gazetteer.eitherOf(chosen.found, other.found, limit: limit)
            }
        }
        let unread = query.parts.indices.filter { part in
            part < chosen.part || between.contains(part) && isWrong(part, of: chosen, &resolver, in: regions)
        }
        if !unread.isEmpty, typed.count == query.parts.count {
            match.unread = unread.map { typed[$0] }.joined(separator: ", ")
        }
        return .match(match)
    }

    /// Whether a part names countries, divisions or counties, and the town lies in none of them: "Alton, Staffordshire, England".
    /// A town of that name where the town lies is not meant as a region. Codes say nothing: "Milan, MI, Italy" has a province's.
    private func isWrong(
        _ part: Int, of town: Town, _ resolver: inout ForwardResolver, in regions: Regions
    ) -> Bool {
        guard query.parts[part].joined().count > 3 else { return false }
        let named = resolver.gazetteer.regions(claims(part, &resolver).claims)
        let areRegions = named.contains { if case .city = $0 { false } else { true } }
        return areRegions && self.town(part, &resolver, in: regions) == nil
            && !town.found.contains { resolver.gazetteer.matches($0.target, [named]) }
    }

    private struct Regions {
        /// The first part that is one of the regions.
        var first: Int
        var qualifiers: [[ForwardRegion]]
        var hasDivision: Bool
        /// Whether they are one code of a country and of divisions elsewhere.
        var isCode = false
    }

    /// The country, and the last division of it that the text names before; or the division alone.
    private func regions(_ resolver: inout ForwardResolver) -> Regions? {
        for last in query.parts.indices.dropFirst(2).reversed() {
            let found = regions(part: last, &resolver)
            let countries = found.filter(\.isCountry)
            guard !countries.isEmpty else {
                // A postal code may come last.
                if found.isEmpty, query.hasDigit(inPart: last) { continue }
                if found.isEmpty { return nil }
                return Regions(first: last, qualifiers: [found], hasDivision: true)
            }
            for part in (1..<last).reversed() {
                let divisions = regions(part: part, &resolver).filter { region in
                    resolver.gazetteer.country(ofRegion: region).map { country in
                        countries.contains {
                            resolver.gazetteer.country(ofRegion: $0).map {
                                resolver.gazetteer.lies(country: country, in: $0, true)
                            } ?? false
                        }
                    } ?? false
                }
                if !divisions.isEmpty {
                    return Regions(first: part, qualifiers: [countries, divisions], hasDivision: true)
                }
            }
            // "CA" is California, too.
            let states = found.filter { region in
                region.isCode && !region.isCountry
                    && resolver.gazetteer.country(ofRegion: region).flatMap { resolver.gazetteer.country($0) }
                        .map { Self.countriesOfCodes.contains($0.code) } ?? false
            }
            return Regions(
                first: last, qualifiers: [countries + states], hasDivision: false, isCode: !states.isEmpty)
        }
        return nil
    }

    /// Where people write the codes of divisions.
    private static let countriesOfCodes: Set<String> = ["US", "CA", "AU", "BR"]

    private struct Town {
        var part: Int
        var found: [ForwardCandidate]
        /// The part is the town's name as it is spelt; "Springfield Township" is not.
        var isAsTyped: Bool
    }

    private func claims(
        _ part: Int, _ resolver: inout ForwardResolver
    ) -> (claims: [NameClaim], isAsTyped: Bool) {
        let segment = ForwardQuery.Segment(part: part, words: query.parts[part].indices)
        let claims = resolver.claims(of: query, segment)
        if !claims.isEmpty { return (claims, true) }
        let variants = resolver.gazetteer.variantClaims(of: query.words(segment))
        return variants.isEmpty ? (claimsInTwoLanguages(part, &resolver), true) : (variants, false)
    }

    /// What all halves of a part name: maps write "Valais/Wallis" and "Navarra - Nafarroa".
    private func claimsInTwoLanguages(_ part: Int, _ resolver: inout ForwardResolver) -> [NameClaim] {
        guard typed.count == query.parts.count else { return [] }
        let halves = typed[part].replacing(" - ", with: "/").replacing(" – ", with: "/").split(separator: "/")
        guard 2...3 ~= halves.count else { return [] }
        var claims: [[NameClaim]] = []
        for half in halves {
            let query = ForwardQuery(String(half))
            guard let words = query.parts.first, query.parts.count == 1 else { return [] }
            claims.append(
                resolver.claims(of: query, ForwardQuery.Segment(part: 0, words: words.indices)))
        }
        return claims[0].filter { one in
            claims.allSatisfy {
                $0.contains { $0.kind.subject == one.kind.subject && $0.target == one.target }
            }
        }
    }

    /// The countries and first-level divisions that a part names.
    private func regions(part: Int, _ resolver: inout ForwardResolver) -> [ForwardRegion] {
        resolver.gazetteer.regions(claims(part, &resolver).claims).filter { region in
            switch region {
            case .country, .countryCode, .admin1, .admin1Code: true
            case .admin2, .besideCounty, .city, .island: false
            }
        }
    }

    private func town(
        _ part: Int, _ resolver: inout ForwardResolver, in regions: Regions
    ) -> Town? {
        let (claims, isAsTyped) = claims(part, &resolver)
        // In the state of a code that is a country's as well, another name says too little.
        let names = claims.filter { $0.kind == .place || $0.kind == .placeAlternate && !regions.isCode }
        let found = ForwardResolver.merged(resolver.subjects(names, regions.qualifiers).filter(\.isPlace))
        return found.isEmpty ? nil : Town(part: part, found: found, isAsTyped: isAsTyped)
    }
}

extension ForwardAddress {
    /// Whether a text is only a continent, or words that are no place, and not a town.
    func namesNoPlace(_ resolver: inout ForwardResolver, _ found: [ForwardCandidate]) -> Bool {
        guard let words = query.parts.first, query.parts.count == 1 else { return false }
        // "Ísland" is Iceland.
        let isASCII = typed.allSatisfy { text in
            text.unicodeScalars.allSatisfy { $0.isASCII || !$0.properties.isAlphabetic }
        }
        if words.count == 1, WordsOfNoPlace.anywhere.contains(words[0]), isASCII { return true }
        if isJoined, !found.isEmpty, found.allSatisfy({ isOtherVillage($0, resolver.gazetteer) }) {
            return true
        }
        let all = ForwardQuery.Segment(part: 0, words: words.indices)
        let isContinent = resolver.claims(of: query, all).contains { $0.kind == .continent }
        let kind = WordsOfNoPlace.kind(of: words, typed: typed.first ?? "", isASCII: isASCII)
        guard isContinent || kind != nil, !(isInCapitals && words.count == 1 && words[0].count <= 3) else {
            return false
        }
        let people = isContinent || kind == .area ? Self.peopleOfCity : ForwardResolver.peopleOfTown
        return found.allSatisfy { candidate in
            switch candidate.target {
            case .place(let place):
                candidate.quality != .name
                    || resolver.gazetteer.population(ofPlace: place) < people
                        && !resolver.isHere(place)
            case .admin1, .admin2: true
            case .country: !isContinent
            }
        }
    }

    /// Whether a place is small and has no apostrophe: "l'homme" is not Lhomme.
    private func isOtherVillage(_ candidate: ForwardCandidate, _ gazetteer: Gazetteer) -> Bool {
        guard case .place(let place) = candidate.target else { return false }
        let name = gazetteer.place(place).name.unicodeScalars
        return gazetteer.population(ofPlace: place) < ForwardResolver.peopleOfTown
            && !name.contains { NameFolding.apostrophes.contains($0.value) }
    }

    /// Whether the text is one word with an apostrophe, as "l'été" and "Levi's".
    var isJoined: Bool { query.wordCount == 1 && typed.first.map(WordsOfNoPlace.isJoined) ?? false }

    /// Whether the text has no small letters, and none with marks, as codes.
    var isInCapitals: Bool {
        typed.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 && !(0x61...0x7A).contains($0) } }
    }

    /// A city with as many is what the name of a sea is, too.
    private static let peopleOfCity = 50_000
}

extension Gazetteer {
    func country(ofRegion region: ForwardRegion) -> UInt16? {
        switch region {
        case .country(let number), .countryCode(let number): number
        case .admin1(let number), .admin1Code(let number): country(ofAdmin1: number)
        case .admin2, .besideCounty, .city, .island: nil
        }
    }

    func isNear(_ one: ForwardTarget, _ other: ForwardTarget, _ metres: Double) -> Bool {
        guard case .place(let one) = one, case .place(let other) = other else { return false }
        return coordinate(ofPlace: one).distance(to: coordinate(ofPlace: other)) <= metres
    }
}
