/// Finds candidates for the readings of one text. `ForwardCandidate` says how they are weighed.
struct ForwardResolver {
    /// The least weight for a guess to be a match: that of a city of 40 000 with one wrong letter.
    private static let surenessOfGuess = 10_000.0
    /// That of a city of 200 000, for one word of six or seven letters: "camera" is no Cametá. A shorter one may be any other word.
    private static let surenessOfShortWord = 50_000.0
    private static let shortWord = 6...7
    /// If other names and spellings weigh less than this, a misspelt better-known name is considered too.
    static let weakness = 5_000.0

    let gazetteer: Gazetteer
    let hint: ForwardHint
    /// Cached by key, because readings and their cuts look up the same words again.
    private var known: [[UInt8]: [NameClaim]] = [:]
    private var guessed: [[UInt8]: [NameClaim]] = [:]

    /// Words of two capital letters, folded; nil where it does not matter how a text is written.
    private let capitals: Set<[UInt8]>?

    init(gazetteer: Gazetteer, hint: ForwardHint, text: String? = nil) {
        self.gazetteer = gazetteer
        self.hint = hint
        capitals = text.map { text in
            let words = text.split { !$0.isLetter }.filter { word in
                word.utf8.count == 2 && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            }
            return Set(words.map { NameFolding.key(String($0)) })
        }
    }

    /// Candidates for the first of several readings that has any: as the names are spelt, else with variants; and whether it leaves
    /// no word out.
    mutating func exact(readings: [ForwardQuery]) -> (
        found: [ForwardCandidate], isAsTyped: Bool, withVariants: Bool
    ) {
        for variants in Variants.allCases {
            for (index, reading) in readings.enumerated() {
                var found = exact(reading, variants)
                // The next reading is the one in which the names are joined.
                if let said = reading.said, !found.isEmpty, index + 1 < readings.count {
                    // Phoenix is larger than Phoenix City, and Kansas smaller than Kansas City. Warsaw was the Phoenix City, and
                    // Kyiv City is a division.
                    let joined = exact(readings[index + 1], variants).filter {
                        $0.quality == .name && (said.kind != .city || $0.isPlace)
                    }
                    if said.kind == .city, !joined.isEmpty { found.removeAll { !$0.isPlace } }
                    found = Self.merged(found + joined)
                }
                guard !found.isEmpty else { continue }
                let isAsTyped = reading.said != nil || reading.wordCount == readings[0].wordCount
                return (found, isAsTyped, variants != .none)
            }
        }
        return ([], false, false)
    }

    /// Which names may be written in another way: those that match nothing, then all. "Denver City, Colorado" is not the one in Texas.
    enum Variants: CaseIterable { case none, ofUnknown, ofAll }

    /// Candidates for readings in which every word is understood, with as few names as possible.
    mutating func exact(_ query: ForwardQuery, _ variants: Variants) -> [ForwardCandidate] {
        let most = min(query.wordCount, query.parts.count + 2)
        for count in stride(from: query.parts.count, through: most, by: 1) {
            var found: [ForwardCandidate] = []
            for segments in query.segmentations(into: count) {
                var claims = claims(of: segments, query)
                for index in claims.indices
                where variants == .ofAll || variants == .ofUnknown && claims[index].isEmpty {
                    claims[index] += gazetteer.variantClaims(of: query.words(segments[index]))
                }
                if let said = query.said, let index = segments.lastIndex(where: { $0.part == said.part }) {
                    claims[index] = gazetteer.claims(claims[index], of: said.kind)
                }
                guard !claims.contains(where: \.isEmpty), !segments.contains(where: query.isAbbreviated)
                else { continue }
                found += candidates(claims)
            }
            if query.isOfTown { found.removeAll { !$0.isPlace } }
            if let countries = query.countries { found.removeAll { !isTown($0, in: countries) } }
            if !found.isEmpty { return Self.merged(found) }
        }
        return []
    }

    private func isTown(_ candidate: ForwardCandidate, in countries: Set<String>) -> Bool {
        guard case .place(let place) = candidate.target,
            let country = gazetteer.country(gazetteer.country(ofPlace: place))
        else { return false }
        return countries.contains(country.code) && gazetteer.population(ofPlace: place) >= Self.peopleOfTown
    }

    /// Candidates with one misspelt or unfinished name.
    mutating func likely(_ query: ForwardQuery) -> [ForwardCandidate] {
        let most = min(query.wordCount, query.parts.count + 1)
        for count in stride(from: query.parts.count, through: most, by: 1) {
            var found: [ForwardCandidate] = []
            for segments in query.segmentations(into: count) {
                let claims = claims(of: segments, query)
                let unknown = claims.indices.filter { claims[$0].isEmpty }
                guard unknown.count <= 1, !segments.contains(where: query.isAbbreviated) else { continue }
                // In a text with a single name, even a known name may be the wrong one.
                guard let index = unknown.first ?? (claims.count == 1 ? 0 : nil),
                    !query.isWordForKind(segments[index])
                else { continue }
                var likely = claims
                likely[index] = guesses(query.key(segments[index]))
                if !likely[index].isEmpty { found += candidates(likely) }
            }
            if !found.isEmpty { return Self.merged(found) }
        }
        return []
    }

    /// Whether the heaviest guess is likely enough to be a match: "Here" is no Heze, "kitchen" no Kitchener, "Borneo" no Borno,
    /// "parking" no Peking, and "Alemania" no Albania.
    static func isSure(_ best: ForwardCandidate, of query: ForwardQuery) -> Bool {
        guard !best.isMisspeltCountry, best.weight >= surenessOfGuess else { return false }
        guard query.wordCount == 1 else { return true }
        guard !best.isFarGuess, query.letterCount >= shortWord.lowerBound else { return false }
        return query.letterCount > shortWord.upperBound || best.isPlace && best.weight >= surenessOfShortWord
    }

    mutating func guesses(_ key: [UInt8]) -> [NameClaim] {
        if let claims = guessed[key] { return claims }
        let claims = gazetteer.likelyClaims(of: key)
        guessed[key] = claims
        return claims
    }

    /// Where the airport is whose code a text is, if only a village or something far from there has it as a name: "MUC", "ATL".
    mutating func airports(_ query: ForwardQuery, otherThan found: [ForwardCandidate]) -> [ForwardCandidate]?
    {
        guard query.wordCount == 1, query.letterCount == 3, !found.isEmpty else { return nil }
        let codes = claims(of: query, ForwardQuery.Segment(part: 0, words: 0..<1)).filter {
            $0.kind == .placeCode
        }
        let airports = subjects(codes, [], withCodes: true)
        let isKnown = found.contains { one in
            switch one.target {
            case .place(let place):
                one.hintFactor >= 2 || gazetteer.population(ofPlace: place) >= Self.peopleOfTown
                    || airports.contains { $0.target == one.target }
            case .admin1(let number):
                one.hintFactor >= 2
                    || airports.contains { airport in
                        if case .place(let place) = airport.target {
                            Int(gazetteer.admin1(ofPlace: place)) == number
                        } else {
                            false
                        }
                    }
            case .admin2: false
            case .country: true
            }
        }
        return isKnown || airports.isEmpty ? nil : airports
    }

    /// Whether a place is where the person is.
    func isHere(_ place: Int) -> Bool {
        hint.near.map { gazetteer.coordinate(ofPlace: place).distance(to: $0) <= Self.hereMetres } ?? false
    }

    private static let hereMetres = 50_000.0
    /// A place with as many is known by its name, even if that is a code or a word besides.
    static let peopleOfTown = 15_000

    /// Candidates for any one of a reading's names, ignoring the other names: what the text may be about.
    mutating func ignoringRegions(_ query: ForwardQuery) -> [ForwardCandidate] {
        var found: [ForwardCandidate] = []
        let most = min(query.wordCount, query.parts.count + 1)
        for count in stride(from: query.parts.count, through: most, by: 1) where found.isEmpty {
            for segments in query.segmentations(into: count) {
                for segment in segments {
                    let names = claims(of: query, segment).filter { $0.kind.isName || $0.kind == .placeCode }
                    found += subjects(names, [], withCodes: true)
                }
            }
        }
        // The text is about the place; the region only says where it is.
        let places = found.filter(\.isPlace)
        return Self.merged(places.isEmpty ? found : places)
    }

    private mutating func claims(of segments: [ForwardQuery.Segment], _ query: ForwardQuery) -> [[NameClaim]]
    {
        var claims: [[NameClaim]] = []
        for segment in segments {
            let found = self.claims(of: query, segment)
            let isWord =
                query.isWordForKind(segment) && SpellingVariants.isWordForIsland(query.words(segment))
            claims.append(isWord ? namesakes(ofWord: segment, among: found) : found)
        }
        return claims
    }

    /// What a word for islands may be the name of. Without a comma that is only Iceland: "Washington Island" is not Island County.
    /// With one it may be a town called so, but none that is hardly known by it: "Louisiana (island)".
    private func namesakes(ofWord segment: ForwardQuery.Segment, among claims: [NameClaim]) -> [NameClaim] {
        let isAlone = segment.words.lowerBound == 0
        return claims.filter { claim in
            switch claim.kind {
            case .country: true
            case .placeAlternate where !claim.isOwn:
                isAlone
                    && gazetteer.existingPlace(claim.target).map { gazetteer.population(ofPlace: $0) } ?? 0
                        >= Self.peopleOfKnown
            case .admin2: isAlone && !claim.isTranslated
            default: isAlone
            }
        }
    }

    /// A place with as many is known by its other names, even if one is a word: "Псковская область, Остров".
    private static let peopleOfKnown = 5_000

    mutating func claims(of query: ForwardQuery, _ segment: ForwardQuery.Segment) -> [NameClaim] {
        let key = query.key(segment)
        // A joined or shortened name is looked up in another way.
        let entry = key + (query.isJoined ? [0] : []) + (query.isShortened ? [1] : [])
        if let claims = known[entry] { return claims }
        // In Spanish, "como va" is a question.
        let isCapital = capitals?.contains(key) ?? true
        let claims = gazetteer.claims(
            of: query.words(segment), isJoined: query.isJoined, isShortened: query.isShortened)
        let usable = claims.filter { isCapital || !$0.isProvinceCode }
        known[entry] = usable
        return usable
    }

    /// Treats each name in turn as the subject, and the others as regions that it lies in.
    private func candidates(_ claims: [[NameClaim]]) -> [ForwardCandidate] {
        guard claims.count > 1 else { return subjects(claims[0], []) }
        let regions = claims.map { gazetteer.regions($0) }
        let found = claims.indices.map { subject -> [ForwardCandidate] in
            let qualifiers = regions.indices.filter { $0 != subject }.map { regions[$0] }
            guard !qualifiers.contains(where: \.isEmpty) else { return [] }
            // "Milan, MI" is in Michigan, and "Milano, MI" in the province of Milan.
            let states = qualifiers.map { regions in
                let others = regions.filter { region in
                    switch region {
                    case .admin2, .besideCounty: false
                    case .country, .countryCode, .admin1, .admin1Code, .city, .island: true
                    }
                }
                return others.contains { if case .admin1Code = $0 { true } else { false } } ? others : regions
            }
            let inStates = subjects(claims[subject], states)
            return inStates.isEmpty ? subjects(claims[subject], qualifiers) : inStates
        }
        // "Kanata, Ontario" is the town, and not the division of Canada, which is called so in other languages.
        let isTown = claims.indices.map { index in
            !claims[index].contains { $0.kind == .country && !$0.isTranslated }
                && found[index].contains { $0.isPlace && $0.quality == .name }
        }
        return claims.indices.flatMap { subject in
            let isOutside = claims.indices.contains {
                $0 != subject && isTown[$0] && regions[$0].contains(where: \.isCountry)
            }
            return found[subject].filter { candidate in
                !(isOutside && !candidate.isPlace) && !(isTown[subject] && candidate.isCountry)
                    && !claims.indices.prefix(subject).contains {
                        isOnlyNear(candidate.target, regions[$0])
                            && (isBesideCounty(candidate.target, regions[$0], of: found[$0])
                                || found[$0].contains { isWithin($0, regions[subject]) })
                    }
            }
        }
    }

    /// Whether something is in none of a name's regions, but beside a county or near a city of that name.
    private func isOnlyNear(_ target: ForwardTarget, _ regions: [ForwardRegion]) -> Bool {
        !regions.contains { region in
            switch region {
            case .besideCounty, .city: false
            case .country, .countryCode, .admin1, .admin1Code, .admin2, .island:
                gazetteer.matches(target, [[region]])
            }
        }
    }

    /// Whether something is beside a county that has one of the towns and its name: "Thane, Mumbai" is Thane.
    private func isBesideCounty(
        _ target: ForwardTarget, _ regions: [ForwardRegion], of towns: [ForwardCandidate]
    ) -> Bool {
        let counties = towns.compactMap { town -> Int? in
            guard case .place(let place) = town.target, town.quality == .name else { return nil }
            return gazetteer.admin2(ofPlace: place)
        }
        return regions.contains { region in
            guard case .besideCounty(let county) = region else { return false }
            return counties.contains(county) && gazetteer.matches(target, [[region]])
        }
    }

    /// Whether a place is in a division or county of a name: "Rufisque, Dakar" is in Dakar, and so is not Dakar.
    private func isWithin(_ candidate: ForwardCandidate, _ regions: [ForwardRegion]) -> Bool {
        candidate.isPlace
            && regions.contains { region in
                switch region {
                case .admin1, .admin1Code, .admin2: gazetteer.matches(candidate.target, [[region]])
                case .besideCounty, .city, .country, .countryCode, .island: false
                }
            }
    }

    /// One candidate for each target, with its heaviest claim.
    static func merged(_ found: [ForwardCandidate]) -> [ForwardCandidate] {
        var best: [ForwardTarget: ForwardCandidate] = [:]
        for candidate in found where candidate.weight > best[candidate.target]?.weight ?? 0 {
            best[candidate.target] = candidate
        }
        return Array(best.values)
    }
}
