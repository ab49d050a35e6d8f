/// Names by language.
///
/// A language has 16 bytes: its tag (a string reference), the number of its first entry and the number of entries;
/// tags are sorted. An entry has 8 bytes: a geonameid and an offset into the texts; entries are sorted by geonameid.
/// A text is its length in 2 bytes, then its bytes. A name equal to the default one is left out.
struct LanguageNames: Sendable {
    static let languageSize = 16
    static let entrySize = 8

    let languages: ByteSection
    let entries: ByteSection
    let texts: ByteSection
    let strings: ByteSection

    var tags: [String] { (0..<languages.count / Self.languageSize).map { tag($0) } }

    private func tag(_ index: Int) -> String {
        let record = index * Self.languageSize
        return strings.text(
            at: Int(languages.integer(at: record, as: UInt32.self)),
            count: Int(languages.integer(at: record + 4, as: UInt32.self)))
    }

    /// The name in a language; for a tag with a region or script ("de-CH"), falls back to the language without it.
    func name(of geonameid: UInt32, language: String) -> String? {
        var tag = language.lowercased()
        while true {
            if let name = name(of: geonameid, tag: tag) { return name }
            guard let hyphen = tag.lastIndex(of: "-") else { return nil }
            tag = String(tag[..<hyphen])
        }
    }

    private func name(of geonameid: UInt32, tag: String) -> String? {
        let languages = 0..<languages.count / Self.languageSize
        let index = Self.first(in: languages) { self.tag($0) >= tag }
        guard index < languages.upperBound, self.tag(index) == tag else { return nil }
        let record = index * Self.languageSize
        let first = Int(self.languages.integer(at: record + 8, as: UInt32.self))
        let count = Int(self.languages.integer(at: record + 12, as: UInt32.self))
        let all = first..<first + count
        let entry = Self.first(in: all) {
            entries.integer(at: $0 * Self.entrySize, as: UInt32.self) >= geonameid
        }
        guard entry < all.upperBound,
            entries.integer(at: entry * Self.entrySize, as: UInt32.self) == geonameid
        else { return nil }
        let offset = Int(entries.integer(at: entry * Self.entrySize + 4, as: UInt32.self))
        let length = Int(texts.integer(at: offset, as: UInt16.self))
        let name = texts.text(at: offset + 2, count: length)
        return name.isEmpty ? nil : name
    }

    /// The first number of a range from which a condition holds, or the range's end.
    private static func first(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Gazetteer {
    var languageNames: LanguageNames {
        LanguageNames(
            languages: sections[.languages] ?? .empty, entries: sections[.languageNames] ?? .empty,
            texts: sections[.languageTexts] ?? .empty, strings: strings)
    }

    /// Tags of the languages that the index has names in, lowercased like "de" and "zh-cn", sorted; none if
    /// no table of alternate names was given.
    package var languages: [String] { languageNames.tags }

    /// The place's name in a language, by a tag such as "de" or "de-CH"; its own name if there is none.
    package func name(of place: Place, language: String) -> String {
        languageNames.name(of: UInt32(truncatingIfNeeded: place.geonameid), language: language) ?? place.name
    }

    /// The division's name in a language; its own name if there is none.
    package func name(of division: Admin1, language: String) -> String {
        guard let ids = sections[.admin1Ids] else { return division.name }
        var range = 0..<admin1s.count / Admin1Record.size
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let code = text(admin1s, at: middle * Admin1Record.size + Admin1Record.code)
            if code == division.code {
                let geonameid: UInt32 = ids.integer(at: middle * 4)
                return languageNames.name(of: geonameid, language: language) ?? division.name
            }
            range = code < division.code ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return division.name
    }

    /// The country's name in a language; its own name if there is none.
    package func name(of country: Country, language: String) -> String {
        let records = stride(from: 0, to: countries.count, by: CountryRecord.size)
        guard
            let record = records.first(where: {
                countries.bytes(at: $0 + CountryRecord.code, count: 2).elementsEqual(country.code.utf8)
            })
        else { return country.name }
        let geonameid: UInt32 = countries.integer(at: record + CountryRecord.geonameid)
        return languageNames.name(of: geonameid, language: language) ?? country.name
    }
}
