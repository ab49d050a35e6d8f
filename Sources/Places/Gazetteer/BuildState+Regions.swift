extension BuildState {
    /// Inhabitants of the places of each division, then of each country.
    func regionPeople() -> (divisions: [Int], countries: [Int]) {
        var divisions = [Int](repeating: 0, count: admin1s.count)
        var nations = [Int](repeating: 0, count: countries.count)
        for place in places where !place.isSection {
            nations[Int(place.country)] += Int(place.population)
            if place.admin1 != IndexFormat.none16 { divisions[Int(place.admin1)] += Int(place.population) }
        }
        return (divisions, nations)
    }

    func regionPeopleSection(_ people: (divisions: [Int], countries: [Int])) -> SectionBytes {
        var section = SectionBytes()
        for people in people.divisions + people.countries {
            section.append(UInt32(min(people, Int(UInt32.max))))
        }
        return section
    }

    /// Names in common use for divisions and countries, besides those of the tables.
    func addAliases(to names: inout NameTable) {
        for (index, division) in admin1s.enumerated() {
            for alias in RegionAliases.byCode[division.code] ?? [] { names.add(alias, .admin1, index) }
        }
        // England is another name of the country only if no division has that name.
        let divisions = Set(admin1s.map(\.name))
        for (index, country) in countries.enumerated() {
            for alias in CountryAliases.byCode[country.code] ?? [] where !divisions.contains(alias) {
                names.add(alias, .country, index)
            }
        }
    }

    /// Whether a misspelt name may mean this one.
    func isSpelt(_ kind: NameRecord.Kind, _ target: Int) -> Bool {
        switch kind {
        case .place, .admin1, .country: true
        case .placeAlternate: places[target].population >= SpellingIndex.populationForAlternates
        case .admin1Code, .countryCode, .admin2, .placeCode: false
        }
    }
}
