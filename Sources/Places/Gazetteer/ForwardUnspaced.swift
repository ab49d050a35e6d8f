/// Reads an address in Japanese or Chinese, whose parts have nothing between them: 東京都渋谷区神宮前1丁目.
///
/// It begins with the prefecture or province, or not, which ends in one of `regionEnds`. Then comes the municipality, which ends in
/// one of `townEnds`; a county before it says nothing more. What follows is not known: quarters, blocks and houses.
enum ForwardUnspaced {
    private static let regionEnds: Set<Unicode.Scalar> = ["都", "道", "府", "県", "省"]
    private static let townEnds: Set<Unicode.Scalar> = ["市", "区", "區", "町", "村", "县"]
    private static let countyEnd: Unicode.Scalar = "郡"
    /// No name of a municipality has more characters.
    private static let longestTown = 8

    struct Reading: Equatable {
        var query: ForwardQuery
        var unread: String
    }

    /// The ways to read a word, the longest name of a municipality first, and first with the prefecture.
    static func readings(of word: String) -> [Reading] {
        let scalars = Array(word.unicodeScalars)
        guard scalars.count > 2, scalars.contains(where: { (0x4E00...0x9FFF).contains($0.value) }) else {
            return []
        }
        // 京都府 has 都 in its name: the last of the ends within a prefecture's length.
        let ends = [3, 2].filter { $0 < scalars.count - 1 && regionEnds.contains(scalars[$0]) }
        return (ends + [-1]).flatMap { end in
            let region = end < 0 ? nil : text(scalars[...end])
            return towns(in: scalars[(end + 1)...]).map { town, rest in
                Reading(
                    query: ForwardQuery([town, region].compactMap { $0 }.joined(separator: ",")), unread: rest
                )
            }
        }
    }

    private static func towns(in rest: ArraySlice<Unicode.Scalar>) -> [(town: String, rest: String)] {
        let start = rest.prefix(longestTown).lastIndex(of: countyEnd).map { $0 + 1 } ?? rest.startIndex
        return rest[start...].indices.prefix(longestTown).reversed()
            .filter { $0 > start && townEnds.contains(rest[$0]) }
            .map { (text(rest[start...$0]), text(rest[($0 + 1)...])) }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

extension Gazetteer {
    /// The municipality of an address without blanks; nil if the text is none.
    func answerUnspaced(_ query: ForwardQuery, _ resolver: inout ForwardResolver, limit: Int)
        -> ForwardAnswer?
    {
        for word in query.parts.joined() {
            for reading in ForwardUnspaced.readings(of: String(decoding: word, as: UTF8.self)) {
                let found = resolver.exact(reading.query, withVariants: false).filter(\.isPlace)
                guard !found.isEmpty else { continue }
                let answer = answer(found, limit: limit, hint: resolver.hint)
                guard case .match(var match) = answer else { return answer }
                match.unread = reading.unread.isEmpty ? nil : reading.unread
                return .match(match)
            }
        }
        return nil
    }
}
