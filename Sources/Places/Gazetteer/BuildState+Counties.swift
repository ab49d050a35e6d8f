extension BuildState {
    struct Admin2Draft {
        var name: String
        var ascii: String
    }

    /// Reads GeoNames' admin2Codes.txt: codes such as US.IL.167, names, ASCII names.
    mutating func readAdmin2Codes(_ file: MappedFile) throws(GazetteerError) {
        var table = TableReader(file)
        while table.next() {
            try table.requireFields(2...4)
            let code = try table.text(0, "code of a second-level division")
            guard code.split(separator: ".", omittingEmptySubsequences: false).count >= 3 else {
                throw table.failure(at: 0, "the code “\(code)” is not country.division.division")
            }
            guard admin2Index[code] == nil else {
                throw table.failure(at: 0, "the code “\(code)” occurs twice; remove one line")
            }
            guard admin2s.count < Int(IndexFormat.none16) else {
                throw table.failure(at: 0, "more than 65 534 second-level divisions; give a shorter table")
            }
            admin2Index[code] = UInt16(admin2s.count)
            let name = try table.text(1, "division name")
            guard !name.isEmpty else { throw table.failure(at: 1, "the division has no name") }
            let ascii = table.fields.count > 2 ? try table.text(2, "ASCII name") : ""
            admin2s.append(Admin2Draft(name: name, ascii: ascii))
        }
    }

    /// Countries whose addresses have the code of the province behind the town: "Milano MI" (ISO 3166-2:IT).
    private static let countriesWithCodes: Set = ["IT"]

    /// Finds the second-level division of each place, and the most populous place and the inhabitants of each
    /// division. Adds the divisions' names for look-ups.
    func countySections(_ names: inout NameTable, _ strings: inout StringPool) -> (
        ofPlaces: SectionBytes, counties: SectionBytes, people: [Int]
    ) {
        var ofPlaces = SectionBytes()
        var largest = [Int](repeating: -1, count: admin2s.count)
        var people = [Int](repeating: 0, count: admin2s.count)
        for (index, place) in places.enumerated() {
            let county = admin2(of: place)
            ofPlaces.append(county)
            guard county != IndexFormat.none16, !place.isSection else { continue }
            let number = Int(county)
            people[number] += Int(place.population)
            let isLarger =
                largest[number] < 0
                || (place.population, places[largest[number]].geonameid)
                    > (places[largest[number]].population, place.geonameid)
            if isLarger { largest[number] = index }
        }
        var counties = SectionBytes()
        for (number, county) in admin2s.enumerated() {
            counties.append(largest[number] < 0 ? UInt32.max : UInt32(largest[number]))
            counties.append(UInt32(min(people[number], Int(UInt32.max))))
            counties.append(strings.intern(county.name))
            for name in [county.name, county.ascii] { names.add(name, .admin2, number) }
        }
        for (code, number) in admin2Index {
            let levels = code.split(separator: ".")
            guard let country = levels.first, Self.countriesWithCodes.contains(String(country)) else {
                continue
            }
            names.add(String(levels[levels.count - 1]), .admin2Alternate, Int(number))
        }
        return (ofPlaces, counties, people)
    }

    private func admin2(of place: PlaceDraft) -> UInt16 {
        guard place.admin1 != IndexFormat.none16, !place.admin2.isEmpty else { return IndexFormat.none16 }
        let code = "\(admin1s[Int(place.admin1)].code).\(String(decoding: place.admin2, as: UTF8.self))"
        return admin2Index[code] ?? IndexFormat.none16
    }
}

/// Facts about a second-level division.
enum CountyRecord {
    static let size = 16
    /// The division's most populous place, or UInt32.max.
    static let largest = 0
    /// Inhabitants of its places.
    static let people = 4
    static let name = 8
}

extension Gazetteer {
    /// The number of a place's second-level division; nil if the index does not know.
    func admin2(ofPlace place: Int) -> Int? {
        guard let section = sections[.placeCounties], (place + 1) * 2 <= section.count else { return nil }
        let number: UInt16 = section.integer(at: place * 2)
        return number == IndexFormat.none16 ? nil : Int(number)
    }

    func largestPlace(ofAdmin2 number: Int) -> Int? {
        guard let section = sections[.counties], (number + 1) * CountyRecord.size <= section.count else {
            return nil
        }
        let place: UInt32 = section.integer(at: number * CountyRecord.size + CountyRecord.largest)
        return existingPlace(Int(place))
    }

    func name(ofAdmin2 number: Int) -> String? {
        sections[.counties].map { text($0, at: number * CountyRecord.size + CountyRecord.name) }
    }

    func people(ofAdmin2 number: Int) -> Double {
        let section = sections[.counties] ?? .empty
        let people: UInt32 = section.integer(at: number * CountyRecord.size + CountyRecord.people)
        return Double(people) + 1_000
    }
}
