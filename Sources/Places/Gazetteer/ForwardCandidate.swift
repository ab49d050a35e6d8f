/// Something that a text may mean, with its weight.
///
/// The weight of a place is its inhabitants + 1,000, four times that for a capital, and a tenth for a section of a
/// place. An island alone weighs as a city of 50,000 if its main town is smaller, unless the text has a word for an island or a hint
/// favours something else of its name. The first words of a place's name ("Newcastle" for Newcastle upon Tyne) weigh half. Any other
/// name than its own weighs a fifth, without the capital's four times, and a fifth of that again if a place of 10,000, or of 1,000
/// in a region that the text says, or a region has the text as its own name: somebody who types
/// "Victoria" means what is called so, before Hong Kong. Another name of up to three letters weighs a 25th, and counts
/// only for a place of 50,000; but initials ("LA") weigh a fifth.
///
/// A division has 9 % of the people of its places, and a country four times them, so that a country outweighs every
/// town of its name. A code of a division or a country of two letters weighs a twentieth of 9 %, and a country's code
/// of three letters a tenth of the country. Their names in other languages weigh a fifth, like those of places, and compete
/// with towns: "França" is France, but "Granada" in Spain. A division followed by a code weighs a twentieth, so that "Ontario, CA" is
/// a city.
///
/// With its country, a division weighs 45 % of its people: "Quebec, Canada" is the province. A place near the town that says
/// where it lies weighs a fifth, if another place of its name is in the town's county, or in a division of the town's name: "Arlington,
/// Washington" may be in the state.
///
/// A division does not compete with the town of its name that has at least a tenth of its people, or a third if it is
/// another name of the town and the town is no capital: "New York" and "Zürich" are the cities, while "Québec" and
/// "Oaxaca" are open. Of a county, a fifteenth is enough: "Wicklow" is the town. A country does not compete with the city that it
/// hardly exceeds: "Singapore" is a city.
///
/// A misspelt name weighs a quarter with one wrong letter and a fortieth with two, and an alternate name a tenth of
/// that; an unfinished name weighs a tenth.
///
/// A hint multiplies: near a place by 1 + 99 / (1 + (d / 50 km)²), within a country or division by 100; in the
/// person's country by 50.
struct ForwardCandidate {
    var target: ForwardTarget
    var quality: PlaceMatch.Quality
    var weight: Double
    /// Of a place, + 1,000.
    var people = 0.0
    /// The text is a country's code.
    var isCountryCode = false
    /// The text is the initials of a place: "LA".
    var isInitials = false
    /// The text adds countries only.
    var isInCountry = false
    /// What the hint multiplied the weight by.
    var hintFactor = 1.0
    /// Another name than its own is misspelt, or the text ends within a word.
    var isFarGuess = false
    /// The text is another name of it, and the own name of something else.
    var isOutnamed = false
    /// It is a country, and letters of its name are wrong, not only blanks.
    var isMisspeltCountry = false

    var isCountry: Bool { if case .country = target { true } else { false } }

    var isPlace: Bool { if case .place = target { true } else { false } }

    static let divisionShare = 0.09
    /// An island is better known than its main town.
    static let peopleOfIsland = 50_000.0

    /// The weight of a place by a claim to its name, before any hint. `people` are its inhabitants + 1,000.
    static func weight(
        ofPlace people: Double, _ kind: NameRecord.Kind, isOwn: Bool = false, isShort: Bool = false,
        isSection: Bool, isCapital: Bool
    ) -> Double {
        var weight = people
        if kind != .place {
            weight /= isOwn ? 2 : isShort ? 25 : 5
        } else if isCapital {
            weight *= 4
        }
        return isSection ? weight / 10 : weight
    }

    static func weight(ofDivision people: Double) -> Double { people * divisionShare }

    static func weight(ofCountry people: Double) -> Double { people * 4 }
}

/// What is known about the person who typed a text. It decides between what the text may mean, and never overrides it.
struct ForwardHint {
    static let countryFactor = 50.0
    static let insideFactor = 100.0
    /// A hint favours what it gives at least this factor.
    static let favouringFactor = 2.0

    var near: Coordinate?
    /// The number of the country, and of the division, that `near` lies in.
    var nearCountry: UInt16?
    var nearAdmin1: UInt16?
    /// The number of the person's country.
    var country: UInt16?

    var isEmpty: Bool { near == nil && country == nil }

    /// The factor that nearness gives to a weight: 1 + 99 / (1 + (d / 50 km)²).
    static func boost(_ metres: Double) -> Double {
        let ratio = metres / 50_000
        return 1 + 99 / (1 + ratio * ratio)
    }
}

extension ForwardResolver {
    /// Candidates that have a name and lie in one region of every qualifier.
    func subjects(_ claims: [NameClaim], _ qualifiers: [[ForwardRegion]], withCodes: Bool = false)
        -> [ForwardCandidate]
    {
        let targets = claims.compactMap { claim in
            target(
                of: claim, isQualified: !qualifiers.isEmpty,
                isAmongCountries: qualifiers.allSatisfy { $0.contains(where: \.isCountry) },
                withCodes: withCodes
            ).map { (claim: claim, target: $0) }
        }
        var fitting = targets.filter { gazetteer.matches($0.target, qualifiers) }
        // A territory is said with its state if the state has nothing of the name.
        if fitting.isEmpty {
            let wide = targets.filter { gazetteer.matches($0.target, qualifiers, isWide: true) }
            let countries = wide.filter { if case .country = $0.target { true } else { false } }
            fitting = countries.isEmpty ? wide : countries
        }
        // "Blaine, Washington" is in the state, and not the larger one beside a county of that name elsewhere.
        if fitting.contains(where: { $0.claim.kind == .place && isInDivision($0.target, qualifiers) }) {
            fitting.removeAll { isBesideCounty($0.target, qualifiers) }
        }
        let isCounty = fitting.contains { $0.claim.kind == .admin2 && !$0.claim.isTranslated }
        let countriesOfDivisions = fitting.compactMap { fit -> ForwardTarget? in
            guard case .admin1(let number) = fit.target, fit.claim.kind == .admin1, !fit.claim.isTranslated
            else { return nil }
            return .country(Int(gazetteer.country(ofAdmin1: UInt16(truncatingIfNeeded: number))))
        }
        let hasOwnName = fitting.contains {
            isKnown($0.target, byOwnName: $0.claim, isQualified: !qualifiers.isEmpty)
        }
        let towns = fitting.compactMap { fit in
            if case .place(let place) = fit.target { (place, fit.claim.isOwn) } else { nil }
        }
        let favoured =
            hint.isEmpty
            ? [] : Set(fitting.map(\.target).filter { hintFactor($0) >= ForwardHint.favouringFactor })
        let hasPlaceInCounty = towns.contains { isInCounty($0.0, ofTowns: qualifiers) }
        var others: [ForwardCandidate] = []
        var countries: [ForwardCandidate] = []
        var inherited: [ForwardTarget: Double] = [:]
        for (claim, target) in fitting {
            // "Palm Beach" is another name of Palm Beach County, and "Kent" one of Medway.
            if claim.kind == .admin2, claim.isTranslated, !towns.isEmpty || isCounty { continue }
            // "Bonaire" is the island before it is another name of the country that the island is part of.
            if claim.kind == .country, claim.isTranslated, countriesOfDivisions.contains(target) { continue }
            // A hint may mean a village that is called like an island.
            let isHinted = favoured.contains { $0 != target }
            var candidate = candidate(
                claim, target, isQualified: !qualifiers.isEmpty,
                isIslandKnown: qualifiers.isEmpty && !isHinted)
            let isOther = claim.kind == .placeAlternate && !claim.isOwn || claim.isTranslated
            if isOther, case .inFull = claim.form, hasOwnName {
                candidate.weight /= 5
                candidate.isOutnamed = true
            }
            if hasPlaceInCounty, case .place(let place) = target, !isInCounty(place, ofTowns: qualifiers) {
                candidate.weight /= 5
            }
            if claim.kind == .admin1, qualifiers.contains(where: { $0.allSatisfy(\.isCode) }) {
                candidate.weight /= 20
            }
            candidate.isInCountry =
                !qualifiers.isEmpty
                && qualifiers.allSatisfy { regions in
                    regions.contains { if case .country = $0 { true } else { false } }
                        || regions.contains(where: \.isCountry) && !regions.contains(where: \.isDivision)
                }
            if claim.kind == .admin1, candidate.isInCountry { candidate.weight *= 5 }
            if let town = town(
                thatNames: target, isTranslated: claim.isTranslated, among: towns)
            {
                inherited[.place(town)] = max(inherited[.place(town)] ?? 0, candidate.weight)
            } else if claim.kind == .country, !claim.isTranslated {
                countries.append(candidate)
            } else {
                others.append(candidate)
            }
        }
        // The town stands for the region as well.
        for index in others.indices {
            others[index].weight = max(others[index].weight, inherited[others[index].target] ?? 0)
        }
        guard qualifiers.isEmpty, !countries.isEmpty else { return countries + others }
        // Towns, and divisions of the country itself ("Mexico"), do not compete with it; other countries' divisions do
        // if they have a fifth of four times its people.
        let own = Set(countries.map(\.target))
        let foreign = others.compactMap { candidate -> ForwardCandidate? in
            guard case .admin1(let number) = candidate.target,
                !own.contains(.country(Int(gazetteer.country(ofAdmin1: UInt16(truncatingIfNeeded: number)))))
            else { return nil }
            var heavier = candidate
            heavier.weight /= ForwardCandidate.divisionShare
            return heavier
        }
        return countries + foreign
    }

    func target(
        of claim: NameClaim, isQualified: Bool, isAmongCountries: Bool, withCodes: Bool
    ) -> ForwardTarget? {
        switch claim.kind {
        case .place: gazetteer.existingPlace(claim.target).map { .place($0) }
        case .placeAlternate:
            gazetteer.existingPlace(claim.target).flatMap { place in
                let isCode = claim.isShort && gazetteer.population(ofPlace: place) < 50_000
                return isCode && !withCodes ? nil : .place(place)
            }
        case .continent, .admin1Alternate, .admin2Alternate, .countryAlternate: nil
        case .placeCode: withCodes ? gazetteer.existingPlace(claim.target).map { .place($0) } : nil
        case .admin1Code where !isAmongCountries: nil
        case .admin1, .admin1Code:
            gazetteer.largestPlace(ofAdmin1: claim.target).map { _ in .admin1(claim.target) }
        case .admin2 where claim.isProvinceCode: nil
        case .admin2: gazetteer.largestPlace(ofAdmin2: claim.target).map { _ in .admin2(claim.target) }
        case .countryCode where isQualified: nil
        case .country, .countryCode:
            gazetteer.capital(ofCountry: claim.target).map { _ in .country(claim.target) }
        }
    }

    /// Whether no qualifier is only a town near a place, in another county; or in another division, if the town is in no county.
    private func isInCounty(_ place: Int, ofTowns qualifiers: [[ForwardRegion]]) -> Bool {
        qualifiers.allSatisfy { regions in
            regions.contains { region in
                if case .city(let city) = region {
                    guard let county = gazetteer.admin2(ofPlace: city) else {
                        return gazetteer.admin1(ofPlace: city) == gazetteer.admin1(ofPlace: place)
                    }
                    return county == gazetteer.admin2(ofPlace: place)
                }
                return gazetteer.matches(.place(place), [[region]])
            }
        }
    }

    private func isInDivision(_ target: ForwardTarget, _ qualifiers: [[ForwardRegion]]) -> Bool {
        let divisions = qualifiers.map { regions in
            regions.filter { region in
                switch region {
                case .admin1, .admin1Code, .country, .countryCode: true
                case .admin2, .besideCounty, .city, .island: false
                }
            }
        }
        return !qualifiers.isEmpty && gazetteer.matches(target, divisions)
    }

    /// Whether a county is said with a place that is not in it.
    private func isBesideCounty(_ target: ForwardTarget, _ qualifiers: [[ForwardRegion]]) -> Bool {
        !qualifiers.allSatisfy { regions in
            regions.contains { region in
                if case .besideCounty = region { false } else { gazetteer.matches(target, [[region]]) }
            }
        }
    }

    /// Whether something that people know has the text as its own name. In a region that the text says, they know more.
    private func isKnown(_ target: ForwardTarget, byOwnName claim: NameClaim, isQualified: Bool) -> Bool {
        guard case .inFull = claim.form, !claim.isTranslated else { return false }
        switch (claim.kind, target) {
        case (.place, .place(let place)):
            return gazetteer.population(ofPlace: place) >= (isQualified ? 1_000 : 10_000)
        case (.admin1, _), (.country, _): return true
        default: return false
        }
    }

    /// The town that a region is named after, which is what people then mean.
    private func town(
        thatNames target: ForwardTarget, isTranslated: Bool, among towns: [(place: Int, isOwnName: Bool)]
    ) -> Int? {
        func isLarge(_ town: (place: Int, isOwnName: Bool), of people: Double, atLeast share: Double = 0.1)
            -> Bool
        {
            // "Осака" is another name of both.
            let isNamesake = town.isOwnName || isTranslated || gazetteer.isCapital(town.place)
            return Double(gazetteer.population(ofPlace: town.place)) >= people
                * (isNamesake ? share : 1.0 / 3)
        }
        let own: [(place: Int, isOwnName: Bool)]
        switch target {
        case .place: return nil
        case .admin1(let number):
            let people = gazetteer.people(ofAdmin1: number)
            own = towns.filter { gazetteer.admin1(ofPlace: $0.place) == number && isLarge($0, of: people) }
        case .admin2(let number):
            let people = gazetteer.people(ofAdmin2: number)
            own = towns.filter {
                gazetteer.admin2(ofPlace: $0.place) == number && isLarge($0, of: people, atLeast: 1.0 / 15)
            }
        case .country(let number):
            own = towns.filter { town in
                guard town.isOwnName, gazetteer.country(ofPlace: town.place) == number,
                    let extent = gazetteer.extent(of: target)
                else { return false }
                return extent.radiusMetres <= 2 * gazetteer.radiusMetres(ofPlace: town.place)
            }
        }
        return own.map(\.place).max { gazetteer.population(ofPlace: $0) < gazetteer.population(ofPlace: $1) }
    }

    private func candidate(
        _ claim: NameClaim, _ target: ForwardTarget, isQualified: Bool, isIslandKnown: Bool
    ) -> ForwardCandidate {
        let hintFactor = hintFactor(target)
        var people = if case .place(let place) = target { people(ofPlace: place) } else { 0.0 }
        if isIslandKnown, !claim.isWithWord, claim.alias?.reach != nil, case .inFull = claim.form {
            people = max(people, ForwardCandidate.peopleOfIsland)
        }
        return ForwardCandidate(
            target: target, quality: quality(claim),
            weight: weight(of: claim, target, people: people) * likelihood(claim, isQualified) * hintFactor,
            people: people,
            isCountryCode: claim.kind == .countryCode, isInitials: claim.isInitials, hintFactor: hintFactor,
            isFarGuess: claim.isCut || claim.hasWrongLetters && claim.kind == .placeAlternate && !claim.isOwn,
            isMisspeltCountry: claim.kind == .country && claim.hasWrongLetters)
    }

    /// The inhabitants + 1,000.
    private func people(ofPlace place: Int) -> Double { Double(gazetteer.population(ofPlace: place)) + 1_000 }

    /// - Parameter people: of a place, if other than it has.
    func weight(of claim: NameClaim, _ target: ForwardTarget, people: Double? = nil) -> Double {
        switch target {
        case .place(let place):
            return ForwardCandidate.weight(
                ofPlace: people ?? self.people(ofPlace: place), claim.kind, isOwn: claim.isOwn,
                isShort: claim.isShort,
                isSection: place >= gazetteer.header.treePlaceCount, isCapital: gazetteer.isCapital(place))
        case .admin1(let number):
            let weight = ForwardCandidate.weight(ofDivision: gazetteer.people(ofAdmin1: number))
            return claim.kind == .admin1Code ? weight / 20 : claim.isTranslated ? weight / 5 : weight
        case .admin2(let number):
            return ForwardCandidate.weight(ofDivision: gazetteer.people(ofAdmin2: number))
        case .country(let number):
            let people = gazetteer.people(ofCountry: number)
            let weight = ForwardCandidate.weight(ofCountry: people)
            guard claim.kind == .countryCode else { return claim.isTranslated ? weight / 5 : weight }
            return claim.isShort ? weight / 10 : ForwardCandidate.weight(ofDivision: people) / 20
        }
    }

    func hintFactor(_ target: ForwardTarget) -> Double {
        var factor = 1.0
        let country: Int
        switch target {
        case .place(let place):
            country = Int(gazetteer.country(ofPlace: place))
            if let near = hint.near {
                factor = ForwardHint.boost(gazetteer.coordinate(ofPlace: place).distance(to: near))
            }
        case .admin1(let number):
            country = Int(gazetteer.country(ofAdmin1: UInt16(truncatingIfNeeded: number)))
            if hint.nearAdmin1.map(Int.init) == number { factor = ForwardHint.insideFactor }
        case .admin2(let number):
            let place = gazetteer.largestPlace(ofAdmin2: number)
            country = place.map { Int(gazetteer.country(ofPlace: $0)) } ?? -1
            if let near = hint.near, let place {
                factor = ForwardHint.boost(gazetteer.coordinate(ofPlace: place).distance(to: near))
            }
        case .country(let number):
            country = number
            if hint.nearCountry.map(Int.init) == number { factor = ForwardHint.insideFactor }
        }
        return hint.country.map(Int.init) == country ? factor * ForwardHint.countryFactor : factor
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
        case .inFull: claim.kind == .placeAlternate || claim.isTranslated ? .alternateName : .name
        }
    }
}
