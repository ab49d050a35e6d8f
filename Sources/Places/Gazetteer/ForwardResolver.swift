/// A place that a text may mean, with its weight.
struct ForwardCandidate {
    var place: Int
    var kind: PlaceMatch.Kind
    var quality: PlaceMatch.Quality
    var weight: Double
}

/// Finds candidates for the readings of one text.
///
/// The weight of a place is its population + 1 000, four times that for a capital, a fifth for an alternate name, and
/// a tenth for a section of a place. A division has 9 % of the people of its places: "Washington" is the capital
/// first, "California" the state. A country's name outweighs every place, and other countries' divisions ("Georgia")
/// unless they have a fifth of four times its people. A code weighs little, so that "LA" is a city first; a division
/// followed by a code weighs a twentieth, so that "Ontario, CA" is a city. A misspelt name weighs a quarter with one
/// wrong letter and a fortieth with two, and an alternate name a tenth of that; an unfinished name weighs a tenth.
struct ForwardResolver {
    /// The least weight for a guess to be a match: that of a city of 40 000 with one wrong letter.
    static let surenessOfGuess = 10_000.0
    /// If other names and spellings weigh less than this, a misspelt better-known name is considered too.
    static let weakness = 5_000.0

    let gazetteer: Gazetteer
    let near: Coordinate?
    /// Cached by key, because readings and their cuts look up the same words again.
    private var known: [[UInt8]: [NameClaim]] = [:]

    init(gazetteer: Gazetteer, near: Coordinate?) {
        self.gazetteer = gazetteer
        self.near = near
    }

    /// Candidates for readings in which every word is understood, with as few names as possible.
    ///
    /// With variants, a name that matches nothing may be written in another way.
    mutating func exact(_ query: ForwardQuery, withVariants: Bool) -> [ForwardCandidate] {
        let most = min(query.wordCount, query.parts.count + 2)
        for count in stride(from: query.parts.count, through: most, by: 1) {
            var found: [ForwardCandidate] = []
            for segments in query.segmentations(into: count) {
                var claims = claims(of: segments, query)
                if withVariants {
                    for index in claims.indices where claims[index].isEmpty {
                        claims[index] = gazetteer.variantClaims(of: query.words(segments[index]))
                    }
                }
                guard !claims.contains(where: \.isEmpty) else { continue }
                found += candidates(claims)
            }
            if !found.isEmpty { return Self.merged(found) }
        }
        return []
    }

    /// Candidates with one misspelt or unfinished name.
    mutating func likely(_ query: ForwardQuery) -> [ForwardCandidate] {
        let most = min(query.wordCount, query.parts.count + 1)
        for count in stride(from: query.parts.count, through: most, by: 1) {
            var found: [ForwardCandidate] = []
            for segments in query.segmentations(into: count) {
                let claims = claims(of: segments, query)
                let unknown = claims.indices.filter { claims[$0].isEmpty }
                guard unknown.count <= 1 else { continue }
                // In a text with a single name, even a known name may be the wrong one.
                guard let index = unknown.first ?? (claims.count == 1 ? 0 : nil) else { continue }
                var likely = claims
                likely[index] = gazetteer.likelyClaims(of: query.key(segments[index]))
                if !likely[index].isEmpty { found += candidates(likely) }
            }
            if !found.isEmpty { return Self.merged(found) }
        }
        return []
    }

    /// Candidates for any one of a reading's names, ignoring the other names: what the text may be about.
    mutating func ignoringRegions(_ query: ForwardQuery) -> [ForwardCandidate] {
        var found: [ForwardCandidate] = []
        let most = min(query.wordCount, query.parts.count + 1)
        for count in stride(from: query.parts.count, through: most, by: 1) where found.isEmpty {
            for segments in query.segmentations(into: count) {
                for segment in segments {
                    let names = claims(of: query, segment).filter { $0.kind.isName }
                    found += subjects(names, [])
                }
            }
        }
        // The text is about the place; the region only says where it is.
        let places = found.filter { $0.kind == .place }
        return Self.merged(places.isEmpty ? found : places)
    }

    private mutating func claims(of segments: [ForwardQuery.Segment], _ query: ForwardQuery) -> [[NameClaim]]
    {
        var claims: [[NameClaim]] = []
        for segment in segments { claims.append(self.claims(of: query, segment)) }
        return claims
    }

    private mutating func claims(of query: ForwardQuery, _ segment: ForwardQuery.Segment) -> [NameClaim] {
        let key = query.key(segment)
        if let claims = known[key] { return claims }
        let claims = gazetteer.claims(of: query.words(segment))
        known[key] = claims
        return claims
    }

    /// Treats each name in turn as the subject, and the others as regions that it lies in.
    private func candidates(_ claims: [[NameClaim]]) -> [ForwardCandidate] {
        guard claims.count > 1 else { return subjects(claims[0], []) }
        let regions = claims.map { gazetteer.regions($0) }
        return claims.indices.flatMap { subject -> [ForwardCandidate] in
            let qualifiers = regions.indices.filter { $0 != subject }.map { regions[$0] }
            guard !qualifiers.contains(where: \.isEmpty) else { return [] }
            return subjects(claims[subject], qualifiers)
        }
    }

    /// One candidate per place, with its heaviest claim.
    static func merged(_ found: [ForwardCandidate]) -> [ForwardCandidate] {
        var best: [Int: ForwardCandidate] = [:]
        for candidate in found where candidate.weight > best[candidate.place]?.weight ?? 0 {
            best[candidate.place] = candidate
        }
        return Array(best.values)
    }
}

extension ForwardResolver {
    /// Candidates that have a name and lie in one region of every qualifier.
    private func subjects(_ claims: [NameClaim], _ qualifiers: [[ForwardRegion]]) -> [ForwardCandidate] {
        var places: [ForwardCandidate] = []
        var countries: [ForwardCandidate] = []
        for claim in claims {
            guard var candidate = candidate(claim, isQualified: !qualifiers.isEmpty),
                gazetteer.matches(candidate.place, qualifiers)
            else { continue }
            if claim.kind == .admin1, qualifiers.contains(where: { $0.allSatisfy(\.isCode) }) {
                candidate.weight /= 20
            }
            if claim.kind == .country { countries.append(candidate) } else { places.append(candidate) }
        }
        guard qualifiers.isEmpty, !countries.isEmpty else { return places + countries }
        // Divisions of the country itself ("Mexico", "Luxembourg") do not compete with it.
        let own = Set(countries.map { gazetteer.country(ofPlace: $0.place) })
        let foreign = claims.compactMap { claim -> ForwardCandidate? in
            guard claim.kind == .admin1, var candidate = candidate(claim, isQualified: false),
                !own.contains(gazetteer.country(ofPlace: candidate.place))
            else { return nil }
            candidate.weight /= Self.divisionShare
            return candidate
        }
        return countries + foreign
    }

    private static let divisionShare = 0.09

    private func candidate(_ claim: NameClaim, isQualified: Bool) -> ForwardCandidate? {
        let place: Int?
        let kind: PlaceMatch.Kind
        switch claim.kind {
        case .place, .placeAlternate: (place, kind) = (gazetteer.existingPlace(claim.target), .place)
        case .admin1, .admin1Code: (place, kind) = (gazetteer.largestPlace(ofAdmin1: claim.target), .admin1)
        case .admin2: (place, kind) = (gazetteer.largestPlace(ofAdmin2: claim.target), .admin2)
        case .country, .countryCode: (place, kind) = (gazetteer.capital(ofCountry: claim.target), .country)
        }
        guard let place, claim.kind != .countryCode || !isQualified else { return nil }
        var weight = Double(gazetteer.population(ofPlace: place)) + 1_000
        switch claim.kind {
        case .place, .placeAlternate:
            if gazetteer.isCapital(place) { weight *= 4 }
            if claim.kind == .placeAlternate { weight /= claim.isShort ? 25 : 5 }
            if place >= gazetteer.header.treePlaceCount { weight /= 10 }
        case .admin1: weight = gazetteer.people(ofAdmin1: claim.target) * Self.divisionShare
        case .admin1Code: weight = gazetteer.people(ofAdmin1: claim.target) * Self.divisionShare / 100
        case .admin2: weight = gazetteer.people(ofAdmin2: claim.target) * Self.divisionShare
        case .country: weight = gazetteer.people(ofCountry: claim.target) * 4
        case .countryCode:
            if claim.isShort { weight = gazetteer.people(ofCountry: claim.target) * 4 }
            weight /= 10
        }
        if let near { weight *= Self.boost(gazetteer.coordinate(ofPlace: place).distance(to: near)) }
        return ForwardCandidate(
            place: place, kind: kind, quality: quality(claim), weight: weight * likelihood(claim, isQualified)
        )
    }

    /// How likely it is that an inexact name means the place. If a region confirms the place, this matters less than
    /// how many letters are wrong.
    private func likelihood(_ claim: NameClaim, _ isQualified: Bool) -> Double {
        let other = claim.kind == .placeAlternate ? 0.1 : 1
        switch claim.form {
        case .inFull: return 1
        case .misspelt(let edits): return (edits == 1 ? 0.25 : 0.025) * other * (isQualified ? 40 : 1)
        case .begun: return 0.1 * (isQualified ? 40 : 1)
        }
    }

    private func quality(_ claim: NameClaim) -> PlaceMatch.Quality {
        switch claim.form {
        case .misspelt(let edits): .corrected(edits: edits)
        case .begun: .completed
        case .inFull: claim.kind == .placeAlternate ? .alternateName : .name
        }
    }

    /// The factor that nearness gives to a weight: 1 + 99 / (1 + (d / 50 km)²).
    static func boost(_ metres: Double) -> Double {
        let ratio = metres / 50_000
        return 1 + 99 / (1 + ratio * ratio)
    }
}
