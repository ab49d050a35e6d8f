/// A text as folded words, in parts separated by commas.
struct ForwardQuery: Equatable {
    typealias Word = [UInt8]

    /// None of them empty.
    private(set) var parts: [[Word]]
    /// The text only names a town: "Greater Poland" is not Poland.
    private(set) var isOfTown = false
    /// The town lies in one of these, and is no village.
    private(set) var countries: Set<String>?
    /// Words around the names are left out.
    private(set) var isShortened = false

    /// A comma of the text, or a bracket, is left out.
    let isJoined: Bool
    /// What the text says of the last name of a part: "Seattle (city)".
    private(set) var said: Said?

    struct Said: Equatable {
        var part: Int
        var kind: NameKind
    }

    init(_ parts: [[Word]], isJoined: Bool = false) {
        self.parts = parts.filter { !$0.isEmpty }
        self.isJoined = isJoined
    }

    var isEmpty: Bool { parts.isEmpty }
    var wordCount: Int { parts.reduce(0) { $0 + $1.count } }
    var letterCount: Int { parts.joined().reduce(0) { $0 + String(decoding: $1, as: UTF8.self).count } }

    /// Splits at commas of any script, semicolons, bars, brackets and line ends.
    init(_ text: String) {
        self.init(Self.pieces(of: text).map { NameFolding.key($0).split(separator: 0x20).map(Array.init) })
    }

    /// The parts as they were typed, without blanks around them.
    static func pieces(of text: String) -> [String] {
        text.unicodeScalars.split { commas.contains($0.value) }.map { piece in
            let rest = piece.drop { $0.properties.isWhitespace }
            let end = rest.lastIndex { !$0.properties.isWhitespace }
            return String(rest[..<(end.map { rest.index(after: $0) } ?? rest.startIndex)])
        }
    }

    private static let commas: Set<UInt32> = [
        0x2C, 0x3B, 0x7C, 0x28, 0x29, 0x0A, 0x0D, 0x060C, 0x3001, 0xFF0C, 0xFF08, 0xFF09, 0x30FB,
    ]

    /// Possible readings of the text, the likeliest first: all of it, then without postal codes, then without words
    /// that often surround place names ("downtown", "area"), then with a comma within a name ("Frankfurt (Oder)"). Before the latter
    /// is the one in which the words behind the comma are no name ("Seattle (city)", but "Mexico (City)").
    var readings: [ForwardQuery] {
        var readings = [self]
        let spoken = [withoutPostalCodes(), withoutDutchPostalCodes(), withoutPostalCodes().withoutFiller()]
        for next in spoken where next.namesSomething && !readings.contains(next) { readings.append(next) }
        for part in parts.indices.dropLast().prefix(3) {
            var joined = parts
            let behind = joined.remove(at: part + 1)
            if let kind = NameKind(behind) {
                var query = ForwardQuery(joined)
                query.said = Said(part: part, kind: kind)
                readings.append(query)
            }
            joined[part] += behind
            readings.append(ForwardQuery(joined, isJoined: true))
        }
        // "Cocos (Keeling) Islands" and "Mianzhu, Deyang, Sichuan" are one name each.
        if parts.count > 2 { readings.append(ForwardQuery([Array(parts.joined())], isJoined: true)) }
        if parts.count > 3, let last = parts.last {
            readings.append(ForwardQuery([Array(parts.dropLast().joined()), last], isJoined: true))
        }
        return readings
    }

    /// The text to search for misspelt names.
    var plain: ForwardQuery {
        let plain = withoutPostalCodes()
        return plain.namesSomething ? plain : self
    }

    /// Whether more is left than the letters of a postal code.
    private var namesSomething: Bool {
        parts.count > 1 || parts.contains { $0.count > 1 || $0.contains { $0.count > 3 } }
    }

    /// Leaves out words with digits, and single letters next to them ("D-10115").
    private func withoutPostalCodes() -> ForwardQuery {
        ForwardQuery(
            parts.map { words in
                words.indices.filter { index in
                    if Self.hasDigit(words[index]) { return false }
                    guard words[index].count == 1 else { return true }
                    let isBeside = [index - 1, index + 1].contains {
                        words.indices.contains($0) && Self.hasDigit(words[$0])
                    }
                    return !isBeside
                }.map { words[$0] }
            })
    }

    /// Also leaves out "1012 AB".
    private func withoutDutchPostalCodes() -> ForwardQuery {
        ForwardQuery(
            parts.map { words in
                words.indices.filter { index in
                    guard index > 0, words[index].count == 2 else { return true }
                    let before = words[index - 1]
                    return !(before.count == 4 && before.allSatisfy { (0x30...0x39).contains($0) })
                }.map { words[$0] }
            }
        ).withoutPostalCodes()
    }

    private static let leadingFiller = words(["in", "at", "near", "from", "the"])
    /// What is said of towns. Of a region it makes another one: Inner Mongolia, Central Macedonia.
    private static let leadingTownFiller = words(["downtown", "central", "greater", "inner"])
    /// What stands before towns in some countries.
    private static let townWords: [(words: Set<Word>, countries: Set<String>)] = [
        (words(["г", "город"]), ["RU", "BY", "KZ", "KG", "UA", "UZ", "TJ", "TM", "MD", "AM", "AZ", "GE"]),
        (words(["м", "місто"]), ["UA"]), (words(["stadt"]), ["DE", "AT", "CH"]),
        (words(["gemeente"]), ["NL", "BE"]), (words(["kota"]), ["ID", "MY"]),
    ]
    private static let trailingFiller = words(["area", "downtown", "center", "centre", "metro"])

    private func withoutFiller() -> ForwardQuery {
        var isOfTown = false
        var countries: Set<String>?
        var query = ForwardQuery(
            parts.map { words in
                var rest = words[...]
                if rest.count > 1, let known = Self.townWords.first(where: { $0.words.contains(words[0]) }) {
                    countries = known.countries
                    rest.removeFirst()
                }
                while rest.count > 1, let first = rest.first,
                    Self.leadingFiller.contains(first) || Self.leadingTownFiller.contains(first)
                {
                    if Self.leadingTownFiller.contains(first) { isOfTown = true }
                    rest.removeFirst()
                }
                while rest.count > 1, let last = rest.last, Self.trailingFiller.contains(last) {
                    rest.removeLast()
                }
                return Array(rest)
            })
        query.isShortened = query.parts != parts
        query.isOfTown = isOfTown
        query.countries = countries
        return query
    }

    /// Whether the text has two letters of an alphabet, or one of a script that needs no more.
    var hasName: Bool {
        var letters = 0
        for word in parts.joined() {
            for scalar in String(decoding: word, as: UTF8.self).unicodeScalars
            where scalar.properties.isAlphabetic {
                letters += scalar.value >= 0x2E80 ? 2 : 1
            }
        }
        return letters >= 2
    }

    private static func words(_ texts: [String]) -> Set<Word> {
        Set(texts.map { Array($0.utf8) })
    }

    func hasDigit(inPart part: Int) -> Bool { parts[part].contains(where: Self.hasDigit) }

    private static func hasDigit(_ word: Word) -> Bool {
        word.contains { (0x30...0x39).contains($0) }
    }
}

extension ForwardQuery {
    /// A run of words within one part.
    struct Segment: Hashable {
        var part: Int
        var words: Range<Int>
    }

    /// Whether a segment is a shortened word of the name that follows, and so no code of a region.
    func isAbbreviated(_ segment: Segment) -> Bool {
        segment.words.count == 1 && segment.words.upperBound < parts[segment.part].count
            && SpellingVariants.isAbbreviation(parts[segment.part][segment.words.lowerBound])
    }

    /// Whether a segment is a word that says what the name before it is, and so is no misspelt name: "Paris (country)" is not Courtry.
    func isWordForKind(_ segment: Segment) -> Bool {
        (segment.words.lowerBound > 0 || segment.part > 0)
            && segment.words.upperBound == parts[segment.part].count
            && SpellingVariants.isWordForKind(words(segment))
    }

    func words(_ segment: Segment) -> ArraySlice<Word> { parts[segment.part][segment.words] }

    func key(_ segment: Segment) -> [UInt8] { SpellingVariants.joined(words(segment)) }

    /// A longer part is cut in two at most: nobody writes a place with that many words without commas.
    private static let longestSplit = 8

    /// Every way to cut the parts into a total of `count` segments.
    func segmentations(into count: Int) -> [[Segment]] {
        var results: [[Segment]] = []
        func extend(_ chosen: [Segment], _ part: Int, _ left: Int) {
            guard part < parts.count else {
                if left == 0 { results.append(chosen) }
                return
            }
            let most = left - (parts.count - part - 1)
            let length = parts[part].count
            let limit = length > Self.longestSplit ? 2 : 3
            for pieces in stride(from: 1, through: min(most, length, limit), by: 1) {
                for cut in Self.cuts(of: length, into: pieces) {
                    extend(chosen + cut.map { Segment(part: part, words: $0) }, part + 1, left - pieces)
                }
            }
        }
        extend([], 0, count)
        return results
    }

    private static func cuts(of length: Int, into pieces: Int) -> [[Range<Int>]] {
        guard pieces > 1 else { return [[0..<length]] }
        return (1...(length - pieces + 1)).flatMap { first in
            cuts(of: length - first, into: pieces - 1).map { rest in
                [0..<first] + rest.map { $0.lowerBound + first..<$0.upperBound + first }
            }
        }
    }
}
