/// Other ways to write a folded name.
enum SpellingVariants {
    private static let short: [[UInt8]: [UInt8]] = pairs([
        ("saint", "st"), ("sainte", "ste"), ("fort", "ft"), ("mount", "mt"),
    ])
    private static let long: [[UInt8]: [UInt8]] = pairs([
        ("st", "saint"), ("ste", "sainte"), ("ft", "fort"), ("mt", "mount"), ("n", "north"), ("s", "south"),
        ("e", "east"), ("w", "west"), ("pt", "port"),
    ])
    /// Those that stand for nothing else: "St" is a street as well, and "N" a code.
    private static let clear = long.filter { ["mt", "ft"].contains(String(decoding: $0.key, as: UTF8.self)) }
    private static let regionWords = Set(
        ["state", "province", "prefecture", "region", "oblast", "county", "co", "territory"].map {
            Array($0.utf8)
        })
    private static let county = Array("county".utf8)
    private static let co = Array("co".utf8)

    /// The name with the abbreviations of official names ("saint louis" → "st louis"), or nil.
    static func abbreviated(_ words: ArraySlice<[UInt8]>) -> [UInt8]? {
        replaced(words, short)
    }

    /// The name with words in full ("mt vernon" → "mount vernon"), or nil.
    static func inFull(_ words: ArraySlice<[UInt8]>) -> [UInt8]? { replaced(words, clear) }

    /// Variants to try if nothing matches the name as written, the likeliest first: words in full, German and
    /// Nordic letters that were written as two, and names without "city" or an article.
    static func fallbacks(_ words: ArraySlice<[UInt8]>) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        if let full = replaced(words, long) { keys.append(full) }
        if words.count > 1, words.first == co { keys.append(joined([county] + words.dropFirst())) }
        if words.count > 1, words.last == co { keys.append(joined(words.dropLast() + [county])) }
        let key = joined(words)
        for pairs: [[UInt8]] in [[[0x61, 0x65], [0x6F, 0x65], [0x75, 0x65]], [[0x61, 0x61]]] {
            let single = contracted(key, pairs)
            if single != key { keys.append(single) }
        }
        if words.count > 1, words.last == city { keys.append(joined(words.dropLast())) }
        if words.count > 1, words.first == Array("the".utf8) { keys.append(joined(words.dropFirst())) }
        return keys
    }

    private static let city = Array("city".utf8)

    /// The name with "city", which large cities are also called without: "quezon city".
    static func withCity(_ words: ArraySlice<[UInt8]>) -> [UInt8]? {
        words.last == city ? nil : joined(words + [city])
    }

    /// The division's own name in "washington state", "province of limburg"; nil if there is no such word.
    static func divisionName(_ words: ArraySlice<[UInt8]>) -> [UInt8]? {
        guard words.count > 1, let first = words.first, let last = words.last else { return nil }
        if regionWords.contains(last) { return joined(words.dropLast()) }
        guard regionWords.contains(first) else { return nil }
        let rest = words.dropFirst()
        return rest.first == Array("of".utf8) && rest.count > 1 ? joined(rest.dropFirst()) : joined(rest)
    }

    /// Whether a name says that it is a county's and no larger division's: "co kent", "cook co".
    static func isCounty(_ words: ArraySlice<[UInt8]>) -> Bool { words.first == co || words.last == co }

    private static let townWords = Set(
        ["village", "town", "township", "municipality", "borough", "commune"].map { Array($0.utf8) })

    /// What a word says of the name before it.
    static func kind(_ word: [UInt8]) -> NameKind? {
        if word == city || townWords.contains(word) { return .city }
        if word == Array("country".utf8) { return .country }
        return islandWords.contains(word) ? .island : nil
    }

    /// The town's own name in "village of sag harbor", "marlboro township"; nil if there is no such word.
    static func townName(_ words: ArraySlice<[UInt8]>) -> [UInt8]? {
        guard words.count > 1, let first = words.first, let last = words.last else { return nil }
        if townWords.contains(last) { return joined(words.dropLast()) }
        return townWords.contains(first) ? nameBehindOf(words) : cityName(words)
    }

    /// The city's own name in "city of houston", or nil.
    static func cityName(_ words: ArraySlice<[UInt8]>) -> [UInt8]? {
        words.first == city ? nameBehindOf(words) : nil
    }

    private static func nameBehindOf(_ words: ArraySlice<[UInt8]>) -> [UInt8]? {
        let rest = words.dropFirst()
        return rest.count > 1 && rest.first == Array("of".utf8) ? joined(rest.dropFirst()) : nil
    }

    private static let islandWords = Set(
        [
            "island", "isle", "insel", "île", "l'île", "isla", "illa", "isola", "l'isola", "ilha", "eiland",
            "insula", "pulau", "koh", "ko", "ostrov", "остров", "острів", "wyspa", "otok", "sziget", "adası",
            "νησί", "νήσος", "جزيرة", "islands", "isles", "islas", "isole", "ilhas", "îles", "inseln",
            "острова", "wyspy",
        ].map {
            NameFolding.key($0)
        })
    /// Those of languages that leave a vowel out: "Île d'Elbe".
    private static let eliding = Set(["île", "l'île", "isola", "l'isola"].map { NameFolding.key($0) })
    private static let islandEndings = ["島", "岛", "섬"].map { NameFolding.key($0) }
    private static let articles = Set(
        ["of", "the", "de", "la", "di", "da", "do", "du", "del", "della", "die", "el", "het", "a"]
            .map { Array($0.utf8) })

    /// Whether it is one word that says what a name is, as "city", "country" and "state" do.
    static func isWordForKind(_ words: ArraySlice<[UInt8]>) -> Bool {
        words.count == 1 && words.allSatisfy { kind($0) != nil || regionWords.contains($0) }
    }

    static func isWordForIsland(_ words: ArraySlice<[UInt8]>) -> Bool {
        words.count == 1 && words.allSatisfy(islandWords.contains)
    }

    /// What the island may be called itself in "corfu island", "isola di capri", "isola d elba" or "バリ島"; empty if there is no
    /// such word.
    static func islandNames(_ words: ArraySlice<[UInt8]>) -> [[UInt8]] {
        guard let first = words.first, let last = words.last else { return [] }
        // "Die Insel Rügen"
        if words.count > 2, articles.contains(first), islandWords.contains(words[words.startIndex + 1]) {
            return islandNames(words.dropFirst())
        }
        var names: [[UInt8]] = []
        if islandWords.contains(last) { names.append(joined(words.dropLast())) }
        if islandWords.contains(first) {
            // "La Palma" has an article, "de la Réunion" two words before it.
            var name = words.dropFirst()
            names.append(joined(name))
            while let word = name.first, articles.contains(word) {
                name = name.dropFirst()
                names.append(joined(name))
            }
            // Folding joins what an apostrophe parts.
            if eliding.contains(first), let word = name.first, word.first == 0x64 {
                names.append(joined([Array(word.dropFirst())] + name.dropFirst()))
            }
        }
        for ending in islandEndings where last.suffix(ending.count).elementsEqual(ending) {
            names.append(
                joined(words.dropLast() + [Array(last.dropLast(ending.count))].filter { !$0.isEmpty }))
        }
        return names.filter { !$0.isEmpty }
    }

    /// Whether a word shortens another one, as in "St Petersburg", and so is no code of a region there.
    static func isAbbreviation(_ word: [UInt8]) -> Bool { long[word] != nil }

    static func joined(_ words: ArraySlice<[UInt8]>) -> [UInt8] {
        Array(words.joined(separator: [0x20]))
    }

    private static func pairs(_ texts: [(String, String)]) -> [[UInt8]: [UInt8]] {
        Dictionary(uniqueKeysWithValues: texts.map { (Array($0.utf8), Array($1.utf8)) })
    }

    private static func replaced(_ words: ArraySlice<[UInt8]>, _ table: [[UInt8]: [UInt8]]) -> [UInt8]? {
        guard words.count > 1, words.contains(where: { table[$0] != nil }) else { return nil }
        return Array(words.map { table[$0] ?? $0 }.joined(separator: [0x20]))
    }

    /// Replaces each of some pairs of letters with its first letter.
    private static func contracted(_ key: [UInt8], _ pairs: [[UInt8]]) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        while index < key.count {
            output.append(key[index])
            let isPair = index + 1 < key.count && pairs.contains([key[index], key[index + 1]])
            index += isPair ? 2 : 1
        }
        return output
    }
}
