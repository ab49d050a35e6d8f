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

    /// Reads names by code: ISO 3166-1 for countries, GeoNames' for divisions of both levels, three digits of UN M49 for continents.
    /// Names of anything that was not read before are skipped.
    mutating func readRegionNames(_ file: MappedFile) throws(GazetteerError) {
        var table = TableReader(file)
        while table.next() {
            try table.requireFields(2...2)
            let code = try table.text(0, "code")
            let name = try table.utf8(1, "name")
            // A name as short as a code must not stand for a whole region.
            guard name.count <= 1_000, name.count > 3 || name.contains(where: { $0 >= 0x80 }) else {
                continue
            }
            if let country = countryIndex[code] {
                regionNames.append((name, .countryAlternate, Int(country)))
            } else if let division = admin1Index[code] {
                regionNames.append((name, .admin1Alternate, Int(division)))
            } else if let county = admin2Index[code] {
                regionNames.append((name, .admin2Alternate, Int(county)))
            } else if code.count == 3, code.allSatisfy(\.isNumber) {
                regionNames.append((name, .continent, 0))
            }
        }
    }

    /// Names in common use, besides those of the tables.
    func addAliases(to names: inout NameTable) {
        for (index, place) in places.enumerated() {
            for alias in TownAliases.byTown[place.geonameid]?.names ?? [] { names.add(alias, .place, index) }
        }
        for (index, division) in admin1s.enumerated() {
            for alias in RegionAliases.byCode[division.code] ?? [] { names.add(alias, .admin1, index) }
        }
        for (name, kind, target) in regionNames { names.add(name, kind, target) }
        for county in CountyAliases.byName {
            for district in county.districts.split(separator: " ") {
                guard
                    let number = admin2Index[district.hasPrefix("IE.") ? String(district) : "GB.\(district)"]
                else { continue }
                names.add(county.name, .admin2Alternate, Int(number))
            }
        }
        // England is another name of the country only if no division has that name.
        let divisions = Set(admin1s.map(\.name))
        for (index, country) in countries.enumerated() {
            for alias in CountryAliases.byCode[country.code] ?? [] where !divisions.contains(alias) {
                names.add(alias, .country, index)
            }
        }
    }
}
