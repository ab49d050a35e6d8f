/// Reads an address in Japanese or Chinese, whose parts have nothing between them: 東京都渋谷区神宮前1丁目.
///
/// Or one in Korean, which has blanks and begins with the largest as well.
///
/// It begins with the prefecture or province, or not, which ends in one of `regionEnds`. Then comes the municipality, which ends in
/// one of `townEnds`; behind a prefecture, a county may come before it. What follows is not known: quarters, blocks and houses.
enum ForwardUnspaced {
    private static let regionEnds: Set<Unicode.Scalar> = ["都", "道", "府", "県", "省"]
    private static let townEnds: Set<Unicode.Scalar> = ["市", "区", "區", "町", "村", "县"]
    private static let countyEnd: Unicode.Scalar = "郡"
    /// No name of a municipality has more characters.
    private static let longestTown = 8

    struct Reading: Equatable {
        var region: String?
        var town: String
        var unread: String
    }

    /// The ways to read a word: first with the prefecture, and the longest name of a municipality first.
    ///
    /// - Parameter isWhole: it may be the name of a municipality alone.
    static func readings(of word: String, isWhole: Bool = false) -> [Reading] {
        let scalars = Array(word.unicodeScalars)
        let whole = isWhole ? [Reading(region: nil, town: word, unread: "")] : []
        guard scalars.count > 2, scalars.contains(where: { (0x4E00...0x9FFF).contains($0.value) }) else {
            return whole
        }
        // 京都府 has 都 in its name: the last of the ends within a prefecture's length.
        let ends = [3, 2].filter { $0 < scalars.count - 1 && regionEnds.contains(scalars[$0]) }
        return ends.flatMap { end in
            towns(in: scalars[(end + 1)...], mayHaveCounty: true).map {
                Reading(region: text(scalars[...end]), town: $0, unread: $1)
            }
        } + towns(in: scalars[...], mayHaveCounty: false).map { Reading(region: nil, town: $0, unread: $1) }
            + (2...3).filter { $0 + 2 <= scalars.count && scalars.count <= longestTown }.map { end in
                Reading(region: text(scalars[..<end]), town: text(scalars[end...]), unread: "")
            } + whole
    }

    /// The ways to read an address in Korean, which begins with the largest: 경기도 성남시 분당구 정자동. The longest names first.
    static func koreanReadings(of words: [String]) -> [Reading] {
        guard words.count > 1, words.allSatisfy({ $0.unicodeScalars.allSatisfy(isKorean) }) else { return [] }
        return words.indices.dropFirst().reversed().map { count in
            Reading(
                region: nil, town: words[..<count].joined(separator: " "),
                unread: words[count...].joined(separator: " "))
        }
    }

    /// Syllables, their letters, digits, and hyphens.
    private static func isKorean(_ scalar: Unicode.Scalar) -> Bool {
        [0xAC00...0xD7A3, 0x1100...0x11FF, 0x20...0x40].contains { $0.contains(scalar.value) }
    }

    static func hasTownEnd(_ name: String) -> Bool {
        name.unicodeScalars.last.map(townEnds.contains) ?? false
    }

    private static func towns(
        in rest: ArraySlice<Unicode.Scalar>, mayHaveCounty: Bool
    ) -> [(town: String, rest: String)] {
        // 郡山市 is a city: a county is one only if nothing is called so otherwise.
        let county = mayHaveCounty ? rest.dropFirst().prefix(longestTown).lastIndex(of: countyEnd) : nil
        return ([rest.startIndex] + (county.map { [$0 + 1] } ?? [])).flatMap { start in
            rest[start...].indices.prefix(longestTown).reversed()
                .filter { $0 > start && townEnds.contains(rest[$0]) }
                .map { end in
                    let more = rest[(end + 1)...]
                    let isEnding = more.count == 1 && more.allSatisfy(townEnds.contains)
                    return (text(rest[start...end]), isEnding ? "" : text(more))
                }
        }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

extension Gazetteer {
    /// Where addresses are written so. Elsewhere, such a word is some other name: 中村 is also Middle Village in New York.
    private static let unspacedCountries: Set<String> = ["JP", "CN", "TW", "HK", "MO", "KR"]

    /// The municipality of an address without blanks; nil if the text is none, or says anything else but a postal code.
    func answerUnspaced(_ query: ForwardQuery, _ resolver: inout ForwardResolver, limit: Int)
        -> ForwardAnswer?
    {
        let words = query.parts.joined().filter { word in
            !word.allSatisfy { (0x30...0x39).contains($0) }
        }
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        var known: String?
        let (country, rest) = texts.count == 1 ? countryAhead(texts[0], &resolver) : (nil, "")
        if let country {
            // 中国河南 is a province.
            let divisions = resolver.exact(ForwardQuery(rest), .none).filter { candidate in
                guard case .admin1(let number) = candidate.target else { return false }
                return Int(self.country(ofAdmin1: UInt16(truncatingIfNeeded: number))) == country
            }
            if !divisions.isEmpty { return answer(divisions, limit: limit, hint: resolver.hint) }
        }
        for reading in texts.count == 1
            ? ForwardUnspaced.readings(of: rest, isWhole: country != nil)
            : ForwardUnspaced.koreanReadings(of: texts)
        {
            // The text is in that prefecture, and nowhere else.
            if let known, reading.region != known { return nil }
            var divisions: Set<Int>?
            if let region = reading.region {
                let query = ForwardQuery(region)
                guard let words = query.parts.first else { continue }
                let claims = resolver.claims(of: query, ForwardQuery.Segment(part: 0, words: words.indices))
                let found = Set(claims.filter { $0.kind == .admin1 }.map(\.target))
                divisions = found
                if !found.isEmpty { known = region }
            }
            let found = resolver.exact(ForwardQuery(reading.town), .none).filter { candidate in
                guard case .place(let place) = candidate.target,
                    let code = self.country(self.country(ofPlace: place))?.code
                else { return false }
                let isThere = country.map { $0 == Int(self.country(ofPlace: place)) }
                // 中国文化 is no village.
                let isNamed = country == nil || ForwardUnspaced.hasTownEnd(reading.town)
                return isThere ?? Self.unspacedCountries.contains(code)
                    && (isNamed || population(ofPlace: place) >= Self.smallestBehindCountry)
                    && divisions?.contains(Int(admin1(ofPlace: place))) ?? true
            }
            guard !found.isEmpty else { continue }
            let answer = answer(found, limit: limit, hint: resolver.hint)
            guard case .match(var match) = answer else { return answer }
            match.unread = reading.unread.isEmpty ? nil : reading.unread
            return .match(match)
        }
        return nil
    }

    /// A smaller town behind a country has the word for a town with it.
    private static let smallestBehindCountry = 100_000

    /// The country with which a word begins, 日本東京 and 台湾台北, and what follows.
    private func countryAhead(_ word: String, _ resolver: inout ForwardResolver) -> (Int?, String) {
        for count in [2, 3] where word.count > count + 1 {
            let claims = resolver.claims(
                of: ForwardQuery(String(word.prefix(count))), ForwardQuery.Segment(part: 0, words: 0..<1))
            if let country = claims.first(where: { $0.kind == .country }) {
                return (country.target, String(word.dropFirst(count)))
            }
        }
        return (nil, word)
    }
}
