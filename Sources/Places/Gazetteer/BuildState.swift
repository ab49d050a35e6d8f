/// Everything a build has read so far.
struct BuildState {
    struct CountryDraft {
        var code: String
        var name: String
        var iso3: String
        var geonameid: UInt32
        var capital: [UInt8]
    }

    struct Admin1Draft {
        var code: String
        var name: String
        var aliases: [String]
        var country: UInt16
        /// ISO 3166-2; empty where unknown.
        var iso = ""
        /// 0 if the table does not say.
        var geonameid: UInt32
    }

    struct PlaceDraft {
        var geonameid: UInt32
        var latitude: Int32
        var longitude: Int32
        var population: UInt32
        var country: UInt16
        var admin1: UInt16
        /// GeoNames' code of the second-level division; empty if the table does not say.
        var admin2: UnsafeRawBufferPointer
        var timeZone: UInt16
        var polygon = IndexFormat.none16
        var polygonRule = PlaceRegionsRecord.PolygonRule.agrees
        var isSection: Bool
        var isCapital: Bool
        /// Points into the mapped input, which lives as long as this state.
        var name: UnsafeRawBufferPointer
        var ascii: UnsafeRawBufferPointer
        var alternates: UnsafeRawBufferPointer

        var coordinate: Coordinate {
            Coordinate(
                clamping: Double(latitude) / IndexFormat.degreeScale,
                Double(longitude) / IndexFormat.degreeScale)
        }
    }

    var files: [MappedFile] = []
    var sources: [(GazetteerInput, MappedFile)] = []
    var countries: [CountryDraft] = []
    var countryIndex: [String: UInt16] = [:]
    var admin1s: [Admin1Draft] = []
    var admin1Index: [String: UInt16] = [:]
    var places: [PlaceDraft] = []
    var seen: Set<UInt32> = []
    var timeZones: [String] = []
    var timeZoneIndex: [String: UInt16] = [:]
    var borders = BorderDraft(firstDivision: 0)
    var countryBorders: [CountryBorderDraft] = []
    var divisions: [DivisionDraft] = []
    /// Divisions with a polygon.
    var bordered: Set<UInt16> = []
    /// By country: whether its borders are those of its time zones, which include its waters.
    var hasWaters: [Bool] = []
    var precedence: [BorderPrecedence] = []
    /// By the name of the time zone.
    var countryOfZone: [String: UInt16] = [:]
    var seas: [AreaDraft] = []
    var zoneAreas: [AreaDraft] = []
    var alternateNames = AlternateNameDraft()
    /// Names of regions in other languages, and of continents.
    var regionNames: [(name: UnsafeRawBufferPointer, kind: NameRecord.Kind, target: Int)] = []
    var admin2s: [Admin2Draft] = []
    var admin2Index: [String: UInt16] = [:]
    var summary = BuildSummary()

    mutating func readCountries(_ file: MappedFile) throws(GazetteerError) {
        var table = TableReader(file)
        while table.next() {
            try table.requireFields(17...19)
            let code = try table.text(0, "country code")
            guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw table.failure(at: 0, "the country code “\(code)” is not two capital letters")
            }
            guard !countries.contains(where: { $0.code == code }) else {
                throw table.failure(at: 0, "the country code “\(code)” occurs twice; remove one line")
            }
            countries.append(
                CountryDraft(
                    code: code, name: try table.text(4, "country name"),
                    iso3: try table.text(1, "ISO 3 code"),
                    geonameid: try table.number(16, "geonameid"),
                    capital: NameFolding.key(try table.text(5, "capital"))))
        }
        countries.sort { $0.code < $1.code }
        countryIndex = Dictionary(
            uniqueKeysWithValues: countries.enumerated().map { ($1.code, UInt16($0)) })
        hasWaters = [Bool](repeating: false, count: countries.count)
        precedence = [BorderPrecedence](repeating: .map, count: countries.count)
    }

    mutating func readAdmin1Codes(_ file: MappedFile) throws(GazetteerError) {
        var table = TableReader(file)
        while table.next() {
            try table.requireFields(2...4)
            let code = try table.text(0, "division code")
            let parts = code.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, let country = countryIndex[String(parts[0])] else {
                throw table.failure(at: 0, "the division code “\(code)” does not begin with a known country")
            }
            guard admin1Index[code] == nil else {
                throw table.failure(at: 0, "the division code “\(code)” occurs twice; remove one line")
            }
            guard admin1s.count < Int(IndexFormat.none16) else {
                throw table.failure(at: 0, "more than 65 534 divisions; give a shorter table")
            }
            admin1Index[code] = UInt16(admin1s.count)
            let ascii = table.fields.count > 2 ? try table.text(2, "ASCII name") : ""
            admin1s.append(
                Admin1Draft(
                    code: code, name: try table.text(1, "division name"), aliases: [ascii], country: country,
                    geonameid: table.fields.count > 3 ? try table.number(3, "geonameid") : 0))
        }
        admin1s.sort { $0.code < $1.code }
        admin1Index = Dictionary(uniqueKeysWithValues: admin1s.enumerated().map { ($1.code, UInt16($0)) })
    }

    mutating func readSubdivisions(_ file: MappedFile) throws(GazetteerError) {
        var table = TableReader(file)
        while table.next() {
            try table.requireFields(3...4)
            let code = try table.text(0, "division code")
            let iso = try table.text(2, "ISO 3166-2 code")
            let name = try table.text(1, "division name")
            guard let index = admin1Index[code] else { continue }
            admin1s[Int(index)].aliases += [name, iso]
            admin1s[Int(index)].iso = iso
            if let suffix = iso.split(separator: "-").dropFirst().first {
                admin1s[Int(index)].aliases.append(String(suffix))
            }
        }
    }

    mutating func readPlaces(_ file: MappedFile, progress: (BuildProgress) -> Void) throws(GazetteerError) {
        var table = TableReader(file)
        var reported = 0
        while table.next() {
            try table.requireFields(19...19)
            if table.offset - reported > 8_000_000 {
                reported = table.offset
                progress(.reading(file: file.path, bytes: reported, total: file.bytes.count))
            }
            try readPlace(table)
        }
    }

    private mutating func readPlace(_ table: TableReader) throws(GazetteerError) {
        let feature = table.fields[7]
        guard table.fields[6].elementsEqual("P".utf8),
            !["PPLH", "PPLCH", "PPLQ", "PPLW"].contains(where: { feature.elementsEqual($0.utf8) })
        else {
            summary.skippedByClass += 1
            return
        }
        let geonameid = try table.number(0, "geonameid")
        guard geonameid > 0 else { throw table.failure(at: 0, "the geonameid is empty or zero") }
        guard !table.fields[8].isEmpty else {
            summary.skippedWithoutCountry += 1
            return
        }
        let countryCode = table.shown(8)
        guard let country = countryIndex[countryCode] else {
            throw table.failure(
                at: 8, "the country “\(countryCode)” is not in the country table; use tables of one date")
        }
        let latitude = try table.degrees(4, "latitude", limit: 90)
        let longitude = try table.degrees(5, "longitude", limit: 180)
        let name = try table.utf8(1, "name")
        guard (1...1_000).contains(name.count) else {
            throw table.failure(at: 1, "the name is empty or longer than 1 000 bytes")
        }
        let population = try table.number(14, "population")
        let ascii = try table.utf8(2, "ASCII name")
        let alternates = try table.utf8(3, "alternate names")
        guard seen.insert(geonameid).inserted else {
            summary.skippedRepeated += 1
            return
        }
        places.append(
            PlaceDraft(
                geonameid: geonameid, latitude: latitude, longitude: longitude, population: population,
                country: country, admin1: admin1(countryCode, table), admin2: table.fields[11],
                timeZone: try timeZone(table), isSection: feature.elementsEqual("PPLX".utf8),
                isCapital: feature.elementsEqual("PPLC".utf8), name: name, ascii: ascii,
                alternates: alternates))
    }

    private mutating func admin1(_ country: String, _ table: TableReader) -> UInt16 {
        // GeoNames writes "00" for "no division".
        guard !table.fields[10].isEmpty, !table.fields[10].elementsEqual("00".utf8) else {
            return IndexFormat.none16
        }
        if let index = admin1Index["\(country).\(table.shown(10))"] { return index }
        summary.withoutAdmin1Name += 1
        return IndexFormat.none16
    }

    private mutating func timeZone(_ table: TableReader) throws(GazetteerError) -> UInt16 {
        guard !table.fields[17].isEmpty else { return IndexFormat.none16 }
        let name = try table.text(17, "time zone")
        if let index = timeZoneIndex[name] { return index }
        guard timeZones.count < Int(IndexFormat.none16) else {
            throw table.failure(at: 17, "more than 65 534 time zones; the column holds something else")
        }
        let index = UInt16(timeZones.count)
        timeZones.append(name)
        timeZoneIndex[name] = index
        return index
    }
}
