/// The contents of a table of alternate names.
struct AlternateNameDraft {
    /// The best name in one language.
    struct Choice {
        var rank: Int
        var id: UInt32
        var name: UnsafeRawBufferPointer

        /// Preferred and short names come first. On a tie the oldest entry wins, whatever the file's order.
        func isBetter(than other: Choice) -> Bool {
            rank != other.rank ? rank > other.rank : id < other.id
        }
    }

    /// Language tags as GeoNames writes them, lowercased, with names by geonameid.
    var byLanguage: [String: [UInt32: Choice]] = [:]
    /// All names that a look-up can use.
    var names: [(geonameid: UInt32, name: UnsafeRawBufferPointer)] = []

    var isEmpty: Bool { names.isEmpty }

    /// Values in GeoNames' language column that mark something other than a name.
    static let linkTags: Set<String> = ["link", "post", "wkdt", "unlc", "tcid", "phon"]
    /// Codes, abbreviations and transcriptions: people type them, but they are not shown in any language.
    static let codeTags: Set<String> = ["", "iata", "icao", "faac", "abbr", "piny", "fr_1793"]
}

extension BuildState {
    /// Reads GeoNames' alternateNamesV2.txt, and skips names of anything that was not read before.
    mutating func readAlternateNames(
        _ file: MappedFile, progress: (BuildProgress) -> Void
    ) throws(GazetteerError) {
        var wanted = seen
        for division in admin1s where division.geonameid > 0 { wanted.insert(division.geonameid) }
        for country in countries where country.geonameid > 0 { wanted.insert(country.geonameid) }
        var table = TableReader(file)
        var reported = 0
        while table.next() {
            if table.offset - reported > 64_000_000 {
                reported = table.offset
                progress(.reading(file: file.path, bytes: reported, total: file.bytes.count))
            }
            try table.requireFields(8...10)
            guard wanted.contains(try table.number(1, "geonameid")) else { continue }
            try readAlternateName(table)
        }
    }

    private mutating func readAlternateName(_ table: TableReader) throws(GazetteerError) {
        let geonameid = try table.number(1, "geonameid")
        let tag = try table.text(2, "language").lowercased()
        guard !AlternateNameDraft.linkTags.contains(tag) else { return }
        let name = try table.utf8(3, "alternate name")
        guard (1...1_000).contains(name.count) else { return }
        func flag(_ field: Int, _ what: String) throws(GazetteerError) -> Bool {
            try table.number(field, what) != 0
        }
        alternateNames.names.append((geonameid, name))
        let isPreferred = try flag(4, "mark of a preferred name")
        let isShort = try flag(5, "mark of a short name")
        let isColloquial = try flag(6, "mark of a colloquial name")
        // A name with an end date is historic, even if it is not marked so.
        let hasEnded = table.fields.count > 9 && !table.fields[9].isEmpty
        let isHistoric = try flag(7, "mark of a historic name") || hasEnded
        guard !isColloquial, !isHistoric, !AlternateNameDraft.codeTags.contains(tag) else { return }
        let choice = AlternateNameDraft.Choice(
            rank: (isPreferred ? 2 : 0) + (isShort ? 1 : 0),
            id: try table.number(0, "number of the alternate name"), name: name)
        if let known = alternateNames.byLanguage[tag]?[geonameid], !choice.isBetter(than: known) { return }
        alternateNames.byLanguage[tag, default: [:]][geonameid] = choice
    }

    /// Adds every alternate name for look-ups.
    func addAlternateNames(to names: inout NameTable) {
        guard !alternateNames.isEmpty else { return }
        var targets: [UInt32: (kind: NameRecord.Kind, number: Int)] = [:]
        for (index, place) in places.enumerated() { targets[place.geonameid] = (.placeAlternate, index) }
        for (index, division) in admin1s.enumerated() where division.geonameid > 0 {
            targets[division.geonameid] = (.admin1, index)
        }
        for (index, country) in countries.enumerated() where country.geonameid > 0 {
            targets[country.geonameid] = (.country, index)
        }
        for (geonameid, name) in alternateNames.names {
            guard let target = targets[geonameid] else { continue }
            // A name as short as a code must not stand for a whole region.
            let isCode = name.count <= 3 && name.allSatisfy { $0 < 0x80 }
            switch (target.kind, isCode) {
            case (.admin1, true): names.add(name, .admin1Code, target.number)
            case (.country, true): names.add(name, .countryCode, target.number)
            case (.placeAlternate, _): names.addAlternate(name, target.number)
            default: names.add(name, target.kind, target.number)
            }
        }
    }

    /// Languages, their names by geonameid, and the texts of those names: see `LanguageNames`.
    func languageSections(_ strings: inout StringPool) -> (
        languages: SectionBytes, names: SectionBytes, texts: SectionBytes
    ) {
        var languages = SectionBytes()
        var names = SectionBytes()
        var texts = SectionBytes()
        var known: [String: UInt32] = [:]
        let defaults = defaultNames()
        for (tag, choices) in alternateNames.byLanguage.sorted(by: { $0.key < $1.key }) {
            let first = names.bytes.count / LanguageNames.entrySize
            for (geonameid, choice) in choices.sorted(by: { $0.key < $1.key }) {
                // Look-ups fall back to the default name, so leave it out. A region's tag falls back to its language.
                let isDefault = defaults[geonameid].map { $0.elementsEqual(choice.name) } ?? false
                if isDefault, !tag.contains("-") { continue }
                let text = String(decoding: choice.name, as: UTF8.self)
                let offset = known[text] ?? UInt32(texts.bytes.count)
                if known[text] == nil {
                    known[text] = offset
                    texts.append(UInt16(choice.name.count))
                    texts.bytes.append(contentsOf: choice.name)
                }
                names.append(geonameid)
                names.append(offset)
            }
            languages.append(strings.intern(tag))
            languages.append(UInt32(first))
            languages.append(UInt32(names.bytes.count / LanguageNames.entrySize - first))
        }
        return (languages, names, texts)
    }

    private func defaultNames() -> [UInt32: [UInt8]] {
        var names: [UInt32: [UInt8]] = [:]
        for place in places { names[place.geonameid] = Array(place.name) }
        for division in admin1s { names[division.geonameid] = Array(division.name.utf8) }
        for country in countries { names[country.geonameid] = Array(country.name.utf8) }
        return names
    }

    func admin1IdSection() -> SectionBytes {
        var section = SectionBytes()
        for division in admin1s { section.append(division.geonameid) }
        return section
    }
}
