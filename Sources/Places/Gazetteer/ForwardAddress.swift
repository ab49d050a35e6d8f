/// Reads a text that begins or ends with something unknown, such as a street or landmark, as the city that it names.
///
/// Left out are leading parts ("4000 15th Ave NE, Seattle, WA"), leading words of the first part ("400 Broad St
/// Seattle, WA") or trailing parts ("Berlin, Alexanderplatz 3"). What is left must name a place, as it is spelt or, with
/// a region, with a small typo.
///
/// What is left out looks like an address or landmark if it contains a digit or one of `words`, or is two to five
/// capital letters ("ETH, Zürich"). Otherwise it may be the misspelt name of a town, so the rest is trusted only if
/// - whole parts are left out, and none of them is the name of a region or a place of 10,000, or a typo away from that of a place
///   of 100,000: "Berlin, Tokyo" contradicts itself. Behind a city, they have no name that is known, and nothing else is called like
///   the city;
/// - the rest is one city (`Gazetteer.isCity(_:)`) and not a region as well, unless the city has half of the region's
///   people: "Bellvoo, Washington" is somewhere in the state.
struct ForwardAddress {
    let query: ForwardQuery
    /// The parts as they were typed.
    let typed: [String]

    init(_ query: ForwardQuery, of text: String) {
        self.query = query
        let pieces = ForwardQuery.pieces(of: text)
        // The query has no empty parts.
        typed = pieces.filter { !NameFolding.key($0).isEmpty }
    }

    /// Nil if no city is known for sure.
    ///
    /// - Parameter isPlain: consider only what looks like an address or landmark.
    func answer(_ resolver: inout ForwardResolver, isPlain: Bool, limit: Int) -> ForwardAnswer? {
        for cut in cuts where isPlain == cut.dropped.contains(where: \.isAddress) {
            // What is somewhere on an island is not in its town, and "Taj Mahal, Long Beach" is not in Agra.
            if cut.rest.readings.contains(where: { resolver.isIslandOrSight($0) }) { continue }
            if isPlain, let answer = plain(cut, &resolver, limit: limit) { return answer }
            if !isPlain, let answer = doubtful(cut, &resolver, limit: limit) { return answer }
        }
        return nil
    }

    private struct Cut {
        /// What is left out, in parts, with whether each looks like an address or landmark.
        var dropped: [(words: [ForwardQuery.Word], isAddress: Bool)]
        var rest: ForwardQuery
        var unread: String
        var kind: Kind

        /// Whole parts before the rest are left out, or behind it; or words of the first part.
        enum Kind { case leading, trailing, words }
    }

    /// The ways to leave something out, beginning with the least.
    private var cuts: [Cut] {
        let parts = query.parts
        func typed(_ range: Range<Int>) -> String {
            self.typed.count == parts.count
                ? self.typed[range].joined(separator: ", ")
                : parts[range].map { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") }
                    .joined(separator: ", ")
        }
        func dropped(_ range: Range<Int>) -> [(words: [ForwardQuery.Word], isAddress: Bool)] {
            range.map { index in
                // Behind a name, two letters are a region: "Springfield, WA".
                let isAcronym =
                    range.lowerBound == 0 && self.typed.count == parts.count
                    && Self.isAcronym(self.typed[index])
                let isAddress = Self.isMiddle(parts[index]) || Self.isAddress(parts[index])
                return (parts[index], isAcronym || isAddress)
            }
        }
        var cuts: [Cut] = []
        for count in parts.indices.dropFirst() {
            cuts.append(
                Cut(
                    dropped: dropped(0..<count), rest: ForwardQuery(Array(parts[count...])),
                    unread: typed(0..<count), kind: .leading))
        }
        for count in parts.indices.dropFirst().reversed() {
            cuts.append(
                Cut(
                    dropped: dropped(count..<parts.count), rest: ForwardQuery(Array(parts[..<count])),
                    unread: typed(count..<parts.count), kind: .trailing))
        }
        guard let first = parts.first else { return cuts }
        for count in first.indices.dropFirst() {
            let words = first[..<count].map { String(decoding: $0, as: UTF8.self) }
            // A street has a name: "St Petersberg" is none.
            if count == 1, SpellingVariants.isAbbreviation(first[0]) { continue }
            cuts.append(
                Cut(
                    dropped: [(Array(first[..<count]), Self.isAddress(Array(first[..<count])))],
                    rest: ForwardQuery([Array(first[count...])] + parts.dropFirst()),
                    unread: words.joined(separator: " "), kind: .words))
        }
        return cuts
    }

    /// An address: its city is known unless the city is open itself.
    private func plain(_ cut: Cut, _ resolver: inout ForwardResolver, limit: Int) -> ForwardAnswer? {
        // A part that looks like nothing may be a misspelt town, and then the rest is its region.
        if cut.dropped.contains(where: { !$0.isAddress }), resolver.isRegion(cut.rest) { return nil }
        let isMiddle = cut.dropped.contains { Self.isMiddle($0.words) }
        if isMiddle, cut.rest.parts.contains(where: Self.isMiddle) { return nil }
        let exact = resolver.exact(readings: cut.rest.readings).found
        let found = exact.isEmpty && cut.rest.parts.count > 1 ? resolver.likely(cut.rest.plain) : exact
        let answer = resolver.gazetteer.answer(found, limit: limit, hint: resolver.hint)
        switch answer {
        case .match(var match):
            guard match.precision == .city || match.kind == .place && cut.rest.parts.count > 1 else {
                return nil
            }
            // "SE" is a region, whatever town is called so.
            if isMiddle, cut.rest.letterCount <= 2, match.place?.population ?? 0 < Self.peopleOfCode {
                return nil
            }
            match.unread = cut.unread
            return .match(match)
        case .ambiguous(let matches):
            if isMiddle, cut.rest.letterCount <= 2 { return nil }
            let places = matches.filter { $0.kind == .place }
            let isNear = places.contains { $0.precision == .city } || cut.rest.parts.count > 1
            return exact.isEmpty || places.count < 2 || !isNear ? nil : .ambiguous(places)
        case .noMatch, .badCoordinates: return nil
        }
    }

    /// Something unknown before the name of a city, or behind it.
    private func doubtful(_ cut: Cut, _ resolver: inout ForwardResolver, limit: Int) -> ForwardAnswer? {
        guard cut.kind != .words, !resolver.isRegion(cut.rest),
            !cut.dropped.contains(where: { resolver.mayBePlace(ForwardQuery([$0.words])) })
        else { return nil }
        // A known name that does not fit contradicts the city: "Paris, Tuscany".
        if cut.kind == .trailing, cut.dropped.contains(where: { resolver.isKnown(ForwardQuery([$0.words])) })
        {
            return nil
        }
        let found = resolver.exact(readings: cut.rest.readings).found
        // What comes behind a name tells its namesakes apart: "Paris, Lamar County".
        if cut.kind == .trailing, found.count > 1 { return nil }
        guard case .match(var match) = resolver.gazetteer.answer(found, limit: limit, hint: resolver.hint),
            match.precision == .city
        else { return nil }
        match.unread = cut.unread
        return .match(match)
    }

    /// A town with as many may be meant by two letters: "Downtown, LA".
    private static let peopleOfCode = 1_000_000

    private static func isAcronym(_ typed: String) -> Bool {
        (2...5).contains(typed.utf8.count) && typed.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }

    static func isAddress(_ part: [ForwardQuery.Word]) -> Bool {
        part.contains { word in
            word.contains { (0x30...0x39).contains($0) } || words.contains(word)
                || endings.contains { word.count > $0.count && word.suffix($0.count).elementsEqual($0) }
        }
    }

    /// Whether a part is so.
    var isOfMiddle: Bool { query.parts.contains(where: Self.isMiddle) }

    /// Whether a part is only the middle of the town that follows: "Old Town, Edinburgh".
    static func isMiddle(_ part: [ForwardQuery.Word]) -> Bool {
        middles.contains(Array(part.joined(separator: [0x20])))
    }

    private static let middles = Set(
        """
        downtown; city center; city centre; town center; town centre; center; centre; old town; old city; historic center; \
        historic centre; zentrum; stadtzentrum; stadtmitte; innenstadt; altstadt; centre ville; vieille ville; vieux centre; \
        centre historique; centro; centro citta; centro storico; centro historico; centro ciudad; casco antiguo; \
        casco historico; casco viejo; ciudad vieja; centro da cidade; centrum; binnenstad; stare miasto; stare mesto; \
        centrum miasta; gamla stan; merkez; sehir merkezi; центр; центр города; старый город; центр міста; 市中心
        """.split(separator: ";").map { NameFolding.key(String($0)) })

    /// Streets, squares, and what sights and campuses are called, folded.
    static let words = Set(
        """
        street st road rd avenue ave av blvd boulevard lane ln drive dr court ct place pl square sq parkway pkwy highway \
        hwy terrace way quay embankment crescent mews alley rue quai cours impasse chemin allee via viale corso piazza \
        piazzale largo vicolo calle avenida avda plaza paseo carrer passeig gran rua praca travessa strasse platz gasse \
        weg ufer straat plein gracht laan ulica ulitsa ul prospekt pl plac ulice namesti vej gade gata gatan utca jalan \
        university universitat universite universidad universita universidade universiteit uni college school campus \
        institute academy faculty library bibliothek museum museo musee gallery galleria park parque parc parco garden \
        gardens jardin zoo airport aeropuerto flughafen aeroport station bahnhof hauptbahnhof gare estacion terminal \
        hotel hostel restaurant cafe cathedral kathedrale catedral cattedrale church kirche eglise chiesa basilica \
        basilique mosque temple shrine synagogue abbey chapel castle schloss palace palacio palazzo palais tower turm \
        torre tour bridge brucke pont puente ponte gate tor arena stadium stadion stadio estadio theatre theater teatro \
        opera oper cinema hall concert mall market markt mercado mercato marche library hospital clinic klinik memorial \
        monument fountain fontana observatory aquarium harbour harbor pier wharf marina beach playa plage building \
        tower center centre
        """.split(separator: " ").map { Array($0.utf8) })
    private static let endings = [
        "strasse", "str", "platz", "gasse", "straat", "gracht", "gatan", "plein", "universitat",
    ]
    .map { Array($0.utf8) }
}

extension ForwardResolver {
    /// Whether the first part of a text names a country or division that is much more than a city of its name.
    mutating func isRegion(_ rest: ForwardQuery) -> Bool {
        guard let first = rest.parts.first else { return false }
        let claims = claims(of: rest, ForwardQuery.Segment(part: 0, words: first.indices))
        let towns = claims.compactMap { claim in
            claim.kind == .place || claim.kind == .placeAlternate
                ? gazetteer.existingPlace(claim.target) : nil
        }
        return claims.contains { claim in
            switch claim.kind {
            case .country: return !claim.isTranslated || towns.isEmpty
            case .admin1:
                let most = towns.filter { Int(gazetteer.admin1(ofPlace: $0)) == claim.target }
                    .map { gazetteer.population(ofPlace: $0) }.max()
                return Double(most ?? 0) * 2 < gazetteer.people(ofAdmin1: claim.target)
            case .place, .placeAlternate, .admin1Code, .countryCode, .admin2, .placeCode, .continent,
                .admin1Alternate, .admin2Alternate, .countryAlternate:
                return false
            }
        }
    }

    /// Whether the first part of a text names an island or sight that is not called like its town.
    mutating func isIslandOrSight(_ rest: ForwardQuery) -> Bool {
        guard let first = rest.parts.first else { return false }
        let segment = ForwardQuery.Segment(part: 0, words: first.indices)
        let known = claims(of: rest, segment)
        return (known.isEmpty ? gazetteer.variantClaims(of: rest.words(segment)) : known)
            .contains(where: gazetteer.isOfIslandOrSight)
    }

    /// Whether anything at all has a part's name.
    mutating func isKnown(_ part: ForwardQuery) -> Bool {
        guard let first = part.parts.first else { return false }
        return !claims(of: part, ForwardQuery.Segment(part: 0, words: first.indices)).isEmpty
    }

    /// Whether a part is a region or a town, or nearly a city's name. An island or sight is neither.
    mutating func mayBePlace(_ part: ForwardQuery) -> Bool {
        guard let first = part.parts.first else { return false }
        let segment = ForwardQuery.Segment(part: 0, words: first.indices)
        func hasPlace(_ claims: [NameClaim], of population: Int) -> Bool {
            claims.contains { claim in
                switch claim.kind {
                case .place, .placeAlternate:
                    !gazetteer.isOfIslandOrSight(claim)
                        && gazetteer.existingPlace(claim.target).map {
                            gazetteer.population(ofPlace: $0) >= population
                        } ?? false
                case .admin1, .country: true
                case .admin1Code, .countryCode, .admin2, .placeCode, .continent, .admin1Alternate,
                    .admin2Alternate, .countryAlternate:
                    false
                }
            }
        }
        return hasPlace(claims(of: part, segment), of: 10_000)
            || hasPlace(guesses(part.key(segment)), of: 100_000)
    }
}
