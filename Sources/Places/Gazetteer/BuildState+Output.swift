import Glibc

extension BuildState {
    /// Turns what was read into sections and writes the file.
    mutating func finish(to path: String, progress: (BuildProgress) -> Void) throws(GazetteerError)
        -> BuildSummary
    {
        var strings = StringPool()
        sortTimeZones()
        simplifyZones()
        borders = try emptyBorders(path)
        try addCountries(path)
        let divided = try addDivisions(path)
        let hasBorders = !self.borders.isEmpty
        addZones(to: &self.borders, from: self.borders.firstZone)
        let borders = hasBorders || self.borders.hasZones ? try self.borders.layOut(path) : nil
        if hasBorders, let borders { try placeInPolygons(borders, divided, path) }
        summary.unreachableDivisions = unreachableDivisions()
        let plan = TreePlan(admin1Countries: admin1s.map(\.country), divided: divided)
        let trees = orderPlaces(plan, hasBorders: hasBorders)
        var writer = IndexWriter(treePlaceCount: summary.places)
        let (capitals, largest) = representatives()
        writer.add(.sources, sourceSection(&strings))
        writer.add(.countries, countrySection(&strings, capitals, plan, divided))
        writer.add(.admin1, admin1Section(&strings, largest, plan))
        writer.add(.timeZones, timeZoneSection(&strings))
        let (placeRecords, placeRegions) = try placeSections(&strings, path)
        writer.add(.places, placeRecords)
        writer.add(.placeRegions, placeRegions)
        writer.add(.trees, trees.trees)
        writer.add(.treeNodes, trees.nodes)
        writer.add(.treePoints, trees.points)
        writer.add(.treeReferences, trees.references)
        var names = collectNames()
        let people = regionPeople()
        var countyPeople: [Int] = []
        if !admin2s.isEmpty {
            let (ofPlaces, counties, inhabitants) = countySections(&names, &strings)
            countyPeople = inhabitants
            writer.add(.placeCounties, ofPlaces)
            writer.add(.counties, counties)
        }
        progress(.sorting(names: names.count))
        let capitalPlaces = Set(capitals)
        let (trie, claims) = names.layOut { kind, target in
            switch kind {
            case .place, .placeAlternate:
                ForwardCandidate.weight(
                    ofPlace: Double(places[target].population) + 1_000, kind,
                    isSection: places[target].isSection,
                    isCapital: capitalPlaces.contains(UInt32(target)))
            case .admin1: ForwardCandidate.weight(ofDivision: Double(people.divisions[target]) + 1_000)
            case .admin1Alternate:
                ForwardCandidate.weight(ofDivision: Double(people.divisions[target]) + 1_000) / 5
            case .countryAlternate:
                ForwardCandidate.weight(ofCountry: Double(people.countries[target]) + 1_000) / 5
            case .admin2: ForwardCandidate.weight(ofDivision: Double(countyPeople[target]) + 1_000)
            case .admin2Alternate:
                ForwardCandidate.weight(ofDivision: Double(countyPeople[target]) + 1_000) / 5
            case .country: ForwardCandidate.weight(ofCountry: Double(people.countries[target]) + 1_000)
            // No suggestion, except as the initials of a place, which are no beginning.
            case .admin1Code, .countryCode, .placeCode, .continent: 0
            }
        }
        writer.add(.names, trie)
        writer.add(.regionPeople, regionPeopleSection(people))
        writer.add(.cities, citySection())
        writer.add(.localities, localitySection())
        writer.add(.cityCentres, cityCentreSection())
        if !alternateNames.isEmpty {
            let (languages, names, texts) = languageSections(&strings)
            writer.add(.languages, languages)
            writer.add(.languageNames, names)
            writer.add(.languageTexts, texts)
        }
        writer.add(.admin1Ids, admin1IdSection())
        if let borders {
            writer.add(.borders, borders)
            writer.add(.contestedCells, ContestedCells.layOut(places))
        }
        for (kind, section) in try seaSections(&strings, path) { writer.add(kind, section) }
        writer.add(.strings, strings.section)
        summary.names = claims
        summary.countries = countries.count
        summary.admin1s = admin1s.count
        if let large = writer.sections.first(where: { $0.bytes.count > Int(UInt32.max) }) {
            throw GazetteerError(
                .malformedInput, file: path,
                message: "section \(large.kind) exceeds 4 GiB; give smaller inputs")
        }
        progress(.writing(bytes: writer.sections.reduce(0) { $0 + $1.bytes.count }))
        summary.fileSize = try writer.write(to: path)
        return summary
    }

    private mutating func sortTimeZones() {
        let sorted = timeZones.sorted()
        let position = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, UInt16($0)) })
        for index in places.indices where places[index].timeZone != IndexFormat.none16 {
            places[index].timeZone =
                position[timeZones[Int(places[index].timeZone)]] ?? IndexFormat.none16
        }
        timeZones = sorted
        timeZoneIndex = position
    }

    /// The place that stands for each country (capital, else most populous) and for each division.
    func representatives() -> (capitals: [UInt32], largest: [UInt32]) {
        var capitals = [UInt32](repeating: .max, count: countries.count)
        var ranks = [Int](repeating: -1, count: countries.count)
        var largest = [UInt32](repeating: .max, count: admin1s.count)
        func isLarger(_ index: Int, than other: UInt32) -> Bool {
            guard other != .max else { return true }
            let (left, right) = (places[index], places[Int(other)])
            return left.population != right.population
                ? left.population > right.population : left.geonameid < right.geonameid
        }
        for (index, place) in places.enumerated() where !place.isSection {
            let country = Int(place.country)
            let named = countries[country].capital
            let bearsName =
                !named.isEmpty
                && (NameFolding.key(String(decoding: place.ascii, as: UTF8.self)) == named
                    || NameFolding.key(String(decoding: place.name, as: UTF8.self)) == named)
            let rank = place.isCapital ? 2 : bearsName ? 1 : 0
            if rank > ranks[country]
                || (rank == ranks[country] && isLarger(index, than: capitals[country]))
            {
                ranks[country] = rank
                capitals[country] = UInt32(index)
            }
            if place.admin1 != IndexFormat.none16, isLarger(index, than: largest[Int(place.admin1)]) {
                largest[Int(place.admin1)] = UInt32(index)
            }
        }
        return (capitals, largest)
    }

    private func sourceSection(_ strings: inout StringPool) -> SectionBytes {
        var section = SectionBytes()
        for (input, file) in sources {
            let name = input.path.split(separator: "/").last.map(String.init) ?? input.path
            for text in [name, input.title, input.url, input.date, input.licence, input.attribution] {
                section.append(strings.intern(text))
            }
            section.append(UInt64(file.bytes.count))
            section.append(CRC64.of(file.bytes))
        }
        return section
    }

    private func countrySection(
        _ strings: inout StringPool, _ capitals: [UInt32], _ plan: TreePlan, _ divided: [Bool]
    ) -> SectionBytes {
        var section = SectionBytes()
        let commonZones = commonTimeZones(countries.count) { $0.country }
        let overruled = Set(places.lazy.filter { $0.polygonRule == .overrules }.map(\.polygon))
        for (index, (country, capital)) in zip(countries, capitals).enumerated() {
            section.bytes.append(contentsOf: country.code.utf8)
            section.append(commonZones[index])
            section.append(strings.intern(country.name))
            section.append(country.geonameid)
            section.append(capital)
            section.append(UInt32(plan.countries[index].lowerBound))
            section.append(UInt16(plan.countries[index].count))
            var flags: UInt16 = overruled.contains(UInt16(index)) ? CountryRecord.Flag.hasOverruledLand : 0
            if divided[index] { flags |= CountryRecord.Flag.hasDivisionBorders }
            if hasWaters[index] { flags |= CountryRecord.Flag.hasWaters }
            section.append(flags)
        }
        return section
    }

    private func admin1Section(_ strings: inout StringPool, _ largest: [UInt32], _ plan: TreePlan)
        -> SectionBytes
    {
        var section = SectionBytes()
        let commonZones = commonTimeZones(admin1s.count) { $0.admin1 }
        for (index, ((division, place), tree)) in zip(zip(admin1s, largest), plan.admin1s).enumerated() {
            section.append(strings.intern(division.code))
            section.append(strings.intern(division.name))
            section.append(division.country)
            section.append(commonZones[index])
            section.append(place)
            section.append(strings.intern(division.iso))
            section.append(UInt32(tree))
        }
        return section
    }

    /// For each region, the time zone of 99 % of its people; villages whose people nobody has counted have one.
    private func commonTimeZones(_ count: Int, _ region: (PlaceDraft) -> UInt16) -> [UInt16] {
        var zones = [[UInt16: Int]](repeating: [:], count: count)
        for place in places where region(place) != IndexFormat.none16 && place.timeZone != IndexFormat.none16
        {
            zones[Int(region(place))][place.timeZone, default: 0] += Int(place.population) + 1
        }
        return zones.map { people in
            let most = people.max { ($0.value, $1.key) < ($1.value, $0.key) }
            guard let most, most.value * 100 >= people.values.reduce(0, +) * 99 else {
                return IndexFormat.none16
            }
            return most.key
        }
    }

    private func timeZoneSection(_ strings: inout StringPool) -> SectionBytes {
        var section = SectionBytes()
        for zone in timeZones { section.append(strings.intern(zone)) }
        return section
    }

    private struct PlaceRegions: Hashable {
        let country, admin1, timeZone, polygon, rule: UInt16
    }

    /// The places, and the different regions that they lie in.
    private func placeSections(_ strings: inout StringPool, _ path: String)
        throws(GazetteerError) -> (places: SectionBytes, regions: SectionBytes)
    {
        var section = SectionBytes()
        var regions = SectionBytes()
        var numbers: [PlaceRegions: Int] = [:]
        section.bytes.reserveCapacity(places.count * PlaceRecord.size)
        for place in places {
            let own = PlaceRegions(
                country: place.country, admin1: place.admin1, timeZone: place.timeZone,
                polygon: place.polygon,
                rule: place.polygonRule.rawValue)
            let number = numbers[own] ?? numbers.count
            if number == numbers.count {
                numbers[own] = number
                for value in [own.country, own.admin1, own.timeZone, own.polygon, own.rule] {
                    regions.append(value)
                }
            }
            guard let number = UInt16(exactly: number) else {
                throw GazetteerError(
                    .malformedInput, file: path,
                    message:
                        "the places lie in more than 65 536 combinations of division, time zone and polygon; "
                        + "give fewer places")
            }
            let name = strings.append(place.name)
            section.append(place.geonameid)
            section.append(place.latitude)
            section.append(place.longitude)
            section.append(place.population)
            section.append(name.offset)
            section.append(UInt16(name.length))
            section.append(number)
        }
        return (section, regions)
    }

    private func collectNames() -> NameTable {
        var names = NameTable()
        names.reserve(places.count * 4)
        for (index, place) in places.enumerated() {
            names.add(place.name, .place, index)
            names.add(place.ascii, .place, index)
            var rest = place.alternates
            while let comma = rest.firstIndex(of: 0x2C) {
                names.addAlternate(UnsafeRawBufferPointer(rebasing: rest[..<comma]), index)
                rest = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
            }
            names.addAlternate(rest, index)
        }
        for (index, division) in admin1s.enumerated() {
            names.add(division.name, .admin1, index)
            for alias in division.aliases {
                names.add(
                    alias, alias.utf8.count <= 3 || alias.contains("-") ? .admin1Code : .admin1, index)
            }
            if let suffix = division.code.split(separator: ".").last {
                names.add(String(suffix), .admin1Code, index)
            }
        }
        for (index, country) in countries.enumerated() {
            names.add(country.name, .country, index)
            names.add(country.code, .countryCode, index)
            names.add(country.iso3, .countryCode, index)
        }
        addAliases(to: &names)
        addAlternateNames(to: &names)
        return names
    }
}
