/// What a text may say of a name, as in "Seattle (city)" or "Georgia (country)".
enum NameKind {
    case city, country, island

    /// Nil if the words say nothing of a name.
    init?(_ words: [[UInt8]]) {
        guard words.count == 1, let kind = SpellingVariants.kind(words[0]) else { return nil }
        self = kind
    }
}

extension Gazetteer {
    /// The claims of what is of a kind. A city is not another name of a place elsewhere if a region has the name itself:
    /// "Querétaro (city)" is the one in the state, and "Saare (city)" is not Surrey. Nor is it only a hamlet elsewhere:
    /// "Komi (city)" is then the region, if no other region says which hamlet. The parts of the United Kingdom
    /// are called countries, too.
    func claims(_ claims: [NameClaim], of kind: NameKind) -> [NameClaim] {
        switch kind {
        case .city:
            let namesakes = claims.filter { $0.kind == .admin1 || $0.kind == .country }
            let regions = regions(namesakes.filter { !$0.isTranslated })
            let known = self.regions(namesakes)
            let cities = claims.filter { claim in
                guard claim.kind == .placeAlternate, !claim.isOwn, !regions.isEmpty else {
                    return claim.kind == .place || claim.kind == .placeAlternate
                }
                return isIn(regions, claim)
            }
            let isKnown = cities.contains { city in
                existingPlace(city.target).map { population(ofPlace: $0) >= Self.peopleOfCity } ?? false
                    || isIn(known, city)
            }
            if isKnown { return cities }
            // "Kongo-Kinshasa (city)" is Kinshasa, which is found if the words are parted.
            return cities.isEmpty ? namesakes.filter { !$0.isTranslated } : cities + namesakes
        case .country:
            return claims.filter { $0.kind == .country || $0.kind == .admin1 && isOfUnitedKingdom($0) }
        case .island: return claims.filter(isOfIsland)
        }
    }

    /// What has fewer, or is not known to have as many, and has the name of a region is no city.
    private static let peopleOfCity = 1_000

    private func isOfUnitedKingdom(_ division: NameClaim) -> Bool {
        country(country(ofAdmin1: UInt16(truncatingIfNeeded: division.target)))?.code == "GB"
    }

    private func isIn(_ regions: [ForwardRegion], _ claim: NameClaim) -> Bool {
        existingPlace(claim.target).map { matches(.place($0), [regions]) } ?? false
    }

    /// Whether the name is that of an island, or of a country of islands.
    func isOfIsland(_ claim: NameClaim) -> Bool {
        switch claim.kind {
        case .place, .placeAlternate: claim.alias?.reach != nil
        case .admin1:
            geonameid(ofAdmin1: UInt16(truncatingIfNeeded: claim.target)).map(RegionAliases.islands.contains)
                ?? false
        case .country:
            country(UInt16(truncatingIfNeeded: claim.target)).map {
                RegionAliases.islandCountries.contains($0.code)
            }
                ?? false
        case .admin1Code, .countryCode, .admin2, .placeCode, .continent, .admin1Alternate, .admin2Alternate,
            .countryAlternate:
            false
        }
    }
}
