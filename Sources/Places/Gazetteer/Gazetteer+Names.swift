/// Something that has a name, and how the text spelt that name.
struct NameClaim {
    enum Form {
        case inFull
        /// This many letters are wrong.
        case misspelt(edits: Int)
        /// The text is only the beginning of the name.
        case begun
    }

    var kind: NameRecord.Kind
    var target: Int
    var form = Form.inFull
    /// The name has three letters, like a country's code by ISO 3166-1 alpha-3, or fewer.
    var isShort = false
    /// The name is a place's own, or its first words: "Newcastle" for Newcastle upon Tyne.
    var isOwn = false
    /// The name is the initials of a place's name.
    var isInitials = false
    /// The name of a country or division in another language, or another name.
    var isTranslated = false
    /// The text ends within a word of the name.
    var isCut = false
    /// Letters are wrong, not only the blanks between words.
    var hasWrongLetters = false
    /// What the name is if it is that of an island or a sight: the aliases of the town that stands for it.
    var alias: TownAliases?
    /// The text has a word for an island besides its name, so a village may have all of it as its name: "Fogo Island".
    var isWithWord = false

    /// Two letters, which stand behind a town.
    var isProvinceCode: Bool { kind == .admin2 && isShort && isTranslated }
}

extension NameRecord.Kind {
    /// The kind of the own names of what has names or codes of this kind.
    var subject: NameRecord.Kind {
        switch original {
        case .placeAlternate, .placeCode: .place
        case .admin1Code: .admin1
        case .countryCode: .country
        default: original
        }
    }

    /// Whether it is a name rather than a code.
    var isName: Bool {
        switch self {
        case .place, .placeAlternate, .admin1, .country, .admin2, .admin1Alternate, .admin2Alternate,
            .countryAlternate:
            true
        case .admin1Code, .countryCode, .placeCode, .continent: false
        }
    }

    /// Whether it is a division's or country's own name.
    var isRegion: Bool { self == .admin1 || self == .country || self == .admin2 }
}

/// A region that a place may be said to lie in.
enum ForwardRegion {
    case country(UInt16)
    case countryCode(UInt16)
    case admin1(UInt16)
    case admin1Code(UInt16)
    case admin2(Int)
    /// The surroundings of a county, for cities that are none of its places.
    case besideCounty(Int)
    /// A city, standing for its surroundings.
    case city(Int)
    /// The island around a town, which ends within so many metres, and its division if it is all in one.
    case island(Int, reach: Double, admin1: UInt16?)

    var isCountry: Bool {
        switch self {
        case .country, .countryCode: true
        case .admin1, .admin1Code, .admin2, .besideCounty, .city, .island: false
        }
    }

    var isDivision: Bool {
        switch self {
        case .admin1, .admin1Code, .admin2: true
        case .country, .countryCode, .besideCounty, .city, .island: false
        }
    }

    var isCode: Bool {
        switch self {
        case .countryCode, .admin1Code: true
        case .country, .admin1, .admin2, .besideCounty, .city, .island: false
        }
    }
}

extension Gazetteer {
    /// A smaller city does not stand for its surroundings.
    private static let smallestRegion = 100_000
    /// The distance at which a city's name still applies.
    private static let cityReachMetres = 40_000.0
    /// Smaller towns are in the county that people say, or there is another town of the name.
    private static let smallestCityBesideCounty = 50_000
    /// 20 km from a city to the nearest place of the county.
    private static let squaredReachOfCounty = Sphere.squaredChord(arcMetres: 20_000)

    /// Letters of an island's own name: a shorter one is not guessed.
    private static let shortestGuessedIsland = 5

    /// Everything with this name, as written, or with usual abbreviations or without them; and the island of this name, which
    /// competes with a village that is called so with the word for one: "Sicily Island".
    ///
    /// - Parameters:
    ///   - isJoined: a comma between the words is left out: "Koh, Singapore" is no island.
    ///   - isShortened: words around them are left out: "City of Avon Center" is no Avon.
    func claims(of words: ArraySlice<[UInt8]>, isJoined: Bool = false, isShortened: Bool = false)
        -> [NameClaim]
    {
        let keys = [
            SpellingVariants.joined(words), SpellingVariants.abbreviated(words),
            SpellingVariants.inFull(words),
        ]
        var found = keys.compactMap { $0 }.flatMap { claims(ofKey: $0) }
        if !isShortened { found += cityClaims(of: words, otherThan: found) }
        return isJoined || found.contains(where: isOfIsland) ? found : found + islandClaims(of: words)
    }

    /// The larger towns of the name in "City of Houston", if that is found only as another name of a Houston: a village in
    /// Minnesota.
    private func cityClaims(of words: ArraySlice<[UInt8]>, otherThan found: [NameClaim]) -> [NameClaim] {
        guard !found.isEmpty, let name = SpellingVariants.cityName(words) else { return [] }
        let cities = claims(ofKey: name).filter { $0.kind == .place }
        let isOfThem = found.allSatisfy { claim in
            claim.kind == .placeAlternate && cities.contains { $0.target == claim.target }
        }
        guard isOfThem else { return [] }
        return cities.filter { city in
            existingPlace(city.target).map { population(ofPlace: $0) >= ForwardResolver.peopleOfTown }
                ?? false
        }
    }

    private func islandClaims(of words: ArraySlice<[UInt8]>) -> [NameClaim] {
        for island in SpellingVariants.islandNames(words) {
            var found = claims(ofKey: island).filter(isOfIsland)
            for index in found.indices { found[index].isWithWord = true }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Everything with this name in another spelling.
    func variantClaims(of words: ArraySlice<[UInt8]>) -> [NameClaim] {
        for fallback in SpellingVariants.fallbacks(words) {
            let found = claims(ofKey: fallback)
            if !found.isEmpty { return found }
        }
        if let key = SpellingVariants.withCity(words) {
            let found = claims(ofKey: key).filter {
                $0.kind == .place
                    && existingPlace($0.target).map { population(ofPlace: $0) } ?? 0
                        >= Self.smallestRegion
            }
            if !found.isEmpty { return found }
        }
        if let town = SpellingVariants.townName(words) {
            let found = claims(ofKey: town).filter { $0.kind == .place || $0.kind == .placeAlternate }
            if !found.isEmpty { return found }
        }
        guard let division = SpellingVariants.divisionName(words) else { return [] }
        let found = claims(ofKey: division)
        let divisions = SpellingVariants.isCounty(words) ? [] : found.filter { $0.kind == .admin1 }
        return divisions.isEmpty ? found.filter { $0.kind == .admin2 } : divisions
    }

    /// Whether the name is that of an island or sight that is not called like its town.
    func isOfIslandOrSight(_ claim: NameClaim) -> Bool {
        claim.alias.map { !$0.contain(NameFolding.key(place(claim.target).name)) } ?? false
    }

    /// Everything with a name like this misspelt or unfinished one.
    func likelyClaims(of key: [UInt8]) -> [NameClaim] {
        var found: [NameClaim] = []
        for (name, edits) in corrections(of: key) {
            let hasWrongLetters = !name.filter { $0 != 0x20 }.elementsEqual(key.filter { $0 != 0x20 })
            // "Bug Island" may be any other than the Big Island.
            let isShortIsland = SpellingVariants.islandNames(name.split(separator: 0x20).map(Array.init)[...])
                .contains { $0.count < Self.shortestGuessedIsland }
            let misspelt = claims(ofKey: name, .misspelt(edits: edits))
            found += misspelt.filter { $0.alias == nil || !isShortIsland }.map { claim in
                var claim = claim
                claim.hasWrongLetters = hasWrongLetters
                return claim
            }
        }
        for name in completions(of: key) {
            let isCut = name.dropFirst(key.count).first != 0x20
            found += claims(ofKey: name, .begun).filter { $0.kind != .placeAlternate }.map { claim in
                var claim = claim
                claim.isCut = isCut
                return claim
            }
        }
        return found.filter(\.kind.isName)
    }

    func claims(ofKey key: [UInt8], _ form: NameClaim.Form = .inFull) -> [NameClaim] {
        var found: [NameClaim] = []
        names.forEachClaim(of: key) {
            // "LA" and "NYC" are names in everyday use; "SEA" and "MIT" are codes of airports.
            let isSpoken = $0 == .placeCode && isInitials(key, ofPlace: $1)
            let isOwn = $0 == .place || $0 == .placeAlternate && begins(key, nameOfPlace: $1)
            found.append(
                NameClaim(
                    kind: isSpoken ? .placeAlternate : $0.original, target: $1, form: form,
                    isShort: $0 == .countryCode ? key.count == 3 : key.count <= 3 && !isSpoken, isOwn: isOwn,
                    isInitials: isSpoken, isTranslated: $0.original != $0,
                    alias: $0 == .place ? aliases(ofPlace: $1, including: key) : nil))
        }
        return found
    }

    private func aliases(ofPlace number: Int, including key: [UInt8]) -> TownAliases? {
        guard let place = existingPlace(number), let town = TownAliases.byTown[geonameid(ofPlace: place)]
        else { return nil }
        return town.contain(key) ? town : nil
    }

    /// Whether words are the first ones of a place's name.
    private func begins(_ key: [UInt8], nameOfPlace number: Int) -> Bool {
        guard let place = existingPlace(number) else { return false }
        return NameFolding.key(self.place(place).name).starts(with: key + [0x20])
    }

    /// Whether letters are the first ones of the words of a place's name.
    private func isInitials(_ letters: [UInt8], ofPlace number: Int) -> Bool {
        guard let place = existingPlace(number) else { return false }
        return NameFolding.key(self.place(place).name).split(separator: 0x20).compactMap(\.first) == letters
    }

    /// The regions that a name stands for when it says where something else lies.
    func regions(_ claims: [NameClaim]) -> [ForwardRegion] {
        let counties = claims.filter { $0.kind == .admin2 }.map { ForwardRegion.besideCounty($0.target) }
        let regions = claims.compactMap { claim -> ForwardRegion? in
            switch claim.kind {
            case .country: return .country(UInt16(truncatingIfNeeded: claim.target))
            case .countryCode: return .countryCode(UInt16(truncatingIfNeeded: claim.target))
            case .admin1: return .admin1(UInt16(truncatingIfNeeded: claim.target))
            case .admin1Code: return .admin1Code(UInt16(truncatingIfNeeded: claim.target))
            case .admin2: return .admin2(claim.target)
            case .place, .placeAlternate:
                guard let place = existingPlace(claim.target) else { return nil }
                if let alias = claim.alias, let kilometres = alias.reach {
                    return .island(
                        place, reach: kilometres * 1_000,
                        admin1: alias.hasDivisions ? nil : admin1(ofPlace: place))
                }
                if population(ofPlace: place) >= Self.smallestRegion { return .city(place) }
                // A town says where its own sight is: "Petra, Wadi Musa".
                return TownAliases.byTown[geonameid(ofPlace: place)] == nil
                    ? nil : .island(place, reach: 0, admin1: nil)
            case .placeCode, .continent, .admin1Alternate, .admin2Alternate, .countryAlternate: return nil
            }
        }
        return regions + counties
    }

    /// Whether something lies in one region of every qualifier.
    ///
    /// - Parameter isWide: territories lie in their state.
    func matches(_ target: ForwardTarget, _ qualifiers: [[ForwardRegion]], isWide: Bool = false) -> Bool {
        qualifiers.allSatisfy { regions in
            regions.contains { region in
                switch target {
                case .place(let place): lies(place, in: region, isWide)
                case .admin1(let number): lies(division: UInt16(truncatingIfNeeded: number), in: region)
                case .admin2(let number):
                    largestPlace(ofAdmin2: number).map { lies(countyWith: $0, in: region) } ?? false
                case .country(let number):
                    country(in: region).map {
                        lies(country: UInt16(truncatingIfNeeded: number), in: $0, isWide)
                    } ?? false
                }
            }
        }
    }

    private func country(in region: ForwardRegion) -> UInt16? {
        switch region {
        case .country(let index), .countryCode(let index): index
        case .admin1, .admin1Code, .admin2, .besideCounty, .city, .island: nil
        }
    }

    private func lies(division: UInt16, in region: ForwardRegion) -> Bool {
        switch region {
        case .country(let index), .countryCode(let index): country(ofAdmin1: division) == index
        case .admin1(let index), .admin1Code(let index): division == index
        // A division is no part of itself.
        case .admin2, .besideCounty, .city, .island: false
        }
    }

    /// All places of a county lie in the same country and division.
    private func lies(countyWith place: Int, in region: ForwardRegion) -> Bool {
        switch region {
        // A county is no part of itself.
        case .admin2, .besideCounty, .city, .island: false
        case .country, .countryCode, .admin1, .admin1Code: lies(place, in: region)
        }
    }

    private func lies(_ place: Int, in region: ForwardRegion, _ isWide: Bool = false) -> Bool {
        switch region {
        case .country(let index), .countryCode(let index):
            return lies(country: country(ofPlace: place), in: index, isWide)
        case .admin1(let index), .admin1Code(let index):
            return admin1(ofPlace: place) == index
        case .admin2(let number):
            return admin2(ofPlace: place) == number
        case .besideCounty(let number):
            return lies(city: place, besideCounty: number)
        case .city(let city):
            if city == place { return true }
            guard population(ofPlace: city) > population(ofPlace: place),
                country(ofPlace: city) == country(ofPlace: place)
            else { return false }
            return coordinate(ofPlace: city).distance(to: coordinate(ofPlace: place)) <= Self.cityReachMetres
        case .island(let town, let reach, let division):
            return country(ofPlace: town) == country(ofPlace: place)
                && division ?? admin1(ofPlace: place) == admin1(ofPlace: place)
                && coordinate(ofPlace: town).distance(to: coordinate(ofPlace: place)) <= reach
        }
    }

    /// Whether people say the county with a city that is none of its places: "Portsmouth, Hampshire". Such a city lies in the
    /// same division, beside one of the county's places, and the county is not named after its largest town.
    private func lies(city: Int, besideCounty number: Int) -> Bool {
        guard population(ofPlace: city) >= Self.smallestCityBesideCounty,
            let largest = largestPlace(ofAdmin2: number), admin1(ofPlace: largest) == admin1(ofPlace: city),
            country(ofPlace: largest) == country(ofPlace: city),
            !isNamed(county: number, after: largest)
        else { return false }
        return tree.nearest(
            inTrees: ownTrees(ofCountry: country(ofPlace: city)),
            to: UnitVector(coordinate(ofPlace: city)), within: Self.squaredReachOfCounty
        ) { admin2(ofPlace: $0) == number } != nil
    }

    private func isNamed(county number: Int, after place: Int) -> Bool {
        func words(_ name: String) -> String {
            " " + String(decoding: NameFolding.key(name), as: UTF8.self) + " "
        }
        return words(name(ofAdmin2: number) ?? "").contains(words(self.place(place).name))
    }

    func existingPlace(_ number: Int) -> Int? {
        number < places.count / PlaceRecord.size ? number : nil
    }

    /// Whether a place stands for its country.
    func isCapital(_ place: Int) -> Bool {
        capital(ofCountry: Int(country(ofPlace: place))) == place
    }

    /// Inhabitants of a division's places; if the index does not say, three times its largest place's.
    func people(ofAdmin1 index: Int) -> Double {
        if let section = sections[.regionPeople] {
            return Double(section.integer(at: index * 4, as: UInt32.self)) + 1_000
        }
        return Double(largestPlace(ofAdmin1: index).map { population(ofPlace: $0) * 3 } ?? 0) + 1_000
    }

    /// Inhabitants of a country's places; if the index does not say, three times its capital's.
    func people(ofCountry index: Int) -> Double {
        if let section = sections[.regionPeople] {
            let offset = admin1s.count / Admin1Record.size * 4 + index * 4
            return Double(section.integer(at: offset, as: UInt32.self)) + 1_000
        }
        return Double(capital(ofCountry: index).map { population(ofPlace: $0) * 3 } ?? 0) + 1_000
    }
}
