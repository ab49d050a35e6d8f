/// Collects the suggestions for one text: the best `limit` things, each with the best of its names.
struct SuggestionSearch {
    /// How a name matches; a lower one comes first, whatever it weighs.
    struct Rank {
        let number: Int

        init(_ match: PlaceSuggestion.Match) {
            number =
                switch match {
                case .exact: 0
                case .beginning: 2
                case .misspelt: 4
                }
        }

        private init(number: Int) { self.number = number }

        /// The same, if the text has only the beginning of a region's name.
        var withRegionBegun: Rank { Rank(number: number | 1) }

        var match: PlaceSuggestion.Match { number < 2 ? .exact : number < 4 ? .beginning : .misspelt }
    }

    struct Found {
        var target: ForwardTarget
        var rank: Rank
        var weight: Double
        /// The name that matched, folded, and as people write it.
        var key: [UInt8]
        var spelling: String
    }

    /// The most nodes of the trie and claims that a text may cost. What is found until then is heavier than the rest,
    /// because each node's children come by weight. About 100 ns each.
    static let budget = 24_000

    let gazetteer: Gazetteer
    let limit: Int
    let resolver: ForwardResolver
    /// The most that the hint multiplies a weight by.
    private let largestHint: Double
    var regions = SuggestionRegions()
    private(set) var found: [Found] = []
    var budget = Self.budget

    init(gazetteer: Gazetteer, hint: ForwardHint, limit: Int) {
        self.gazetteer = gazetteer
        self.limit = limit
        resolver = ForwardResolver(gazetteer: gazetteer, hint: hint)
        largestHint =
            (hint.near == nil ? 1 : ForwardHint.insideFactor)
            * (hint.country == nil ? 1 : ForwardHint.countryFactor)
    }

    private var isFull: Bool { found.count >= limit }

    /// Reads the text as a name with regions; as a name with a comma in it; as a name and a region without a comma; and, if
    /// there is still room, as a misspelt name.
    mutating func run(_ query: ForwardQuery) {
        for reading in query.readings where found.isEmpty { read(reading) }
        // The comma may be part of the name: "Mianzhu, Deyang, Sichuan".
        if query.parts.count > 1 { search(query.parts.flatMap(\.self), in: SuggestionRegions()) }
        if found.isEmpty, let words = query.parts.first, query.parts.count == 1 {
            for count in 1..<max(1, min(words.count, 4)) where found.isEmpty {
                let regions = SuggestionRegions([Array(words.suffix(count))], gazetteer, &budget)
                if regions.canMatch { search(words.dropLast(count), in: regions) }
            }
            // A text of name and region is no misspelt name.
            if !found.isEmpty { return }
        }
        let plain = query.plain
        guard !isFull, let words = plain.parts.first else { return }
        regions = SuggestionRegions(plain.parts.dropFirst(), gazetteer, &budget)
        for isFirstFree in [false, true] where !isFirstFree || found.isEmpty {
            typos(SpellingVariants.joined(words[...]), isFirstFree: isFirstFree)
        }
    }

    /// Reads the first part as a name, and the others as regions around it.
    private mutating func read(_ query: ForwardQuery) {
        guard let words = query.parts.first else { return }
        let regions = SuggestionRegions(query.parts.dropFirst(), gazetteer, &budget)
        if regions.canMatch { search(words[...], in: regions) }
    }

    private mutating func search(_ words: some Collection<[UInt8]>, in regions: SuggestionRegions) {
        self.regions = regions
        let words = Array(words)[...]
        search(SpellingVariants.joined(words))
        if let short = SpellingVariants.abbreviated(words) { search(short) }
        for variant in SpellingVariants.fallbacks(words) where found.isEmpty { search(variant) }
    }

    /// Adds what a key is the name of, or the beginning of the name.
    private mutating func search(_ key: [UInt8]) {
        guard !key.isEmpty, let (node, surplus) = gazetteer.names.find(key) else { return }
        var path = key
        if surplus.isEmpty {
            for claim in gazetteer.claims(ofKey: key) {
                add(claim, Rank(.exact)) { (key, Self.spelling(of: node, key)) }
            }
            addChildren(below: node, &path, Rank(.beginning), 1)
        } else {
            path += surplus
            addAll(node, &path, Rank(.beginning), 1)
        }
    }

    /// Adds what a node and those below name.
    mutating func addAll(_ node: NameTrie.Node, _ path: inout [UInt8], _ rank: Rank, _ factor: Double) {
        add(node, path, rank, factor)
        addChildren(below: node, &path, rank, factor)
    }

    private mutating func addChildren(
        below node: NameTrie.Node, _ path: inout [UInt8], _ rank: Rank, _ factor: Double
    ) {
        var offset = node.children
        while offset < node.end, let child = gazetteer.names.node(at: offset, in: offset..<node.end),
            mayAdd(child, rank, factor), path.count < NameTrie.longestKey
        {
            path += child.label
            addAll(child, &path, rank, factor)
            path.removeLast(child.label.count)
            offset = child.end
        }
    }

    /// Whether something in a node or below it may be among the best; counts the node.
    mutating func mayAdd(_ node: NameTrie.Node, _ rank: Rank, _ factor: Double) -> Bool {
        budget -= 1
        return budget > 0 && isBetter(rank, NameTrie.bound(node.best) * factor * largestHint)
    }

    /// Adds what a node itself names; its codes are left out.
    mutating func add(_ node: NameTrie.Node, _ key: [UInt8], _ rank: Rank, _ factor: Double) {
        for index in 0..<node.claimCount {
            guard let (kind, target) = gazetteer.names.claim(index, of: node), kind.isName else { continue }
            budget -= 1
            let claim = NameClaim(
                kind: kind.original, target: target, isShort: key.count <= 3, isOwn: kind == .place,
                isTranslated: kind.original != kind)
            add(claim, rank, factor) { (key, Self.spelling(of: node, key)) }
        }
    }

    private mutating func add(
        _ claim: NameClaim, _ rank: Rank, _ factor: Double = 1, name: () -> ([UInt8], String)
    ) {
        guard
            let target = resolver.target(
                of: claim, isQualified: true, isAmongCountries: false, withCodes: false)
        else { return }
        var rank = rank
        var weight = resolver.weight(of: claim, target) * factor
        guard isBetter(rank, weight * largestHint), let isBegun = regions.isBegun(around: target, gazetteer)
        else { return }
        if isBegun { rank = rank.withRegionBegun }
        // A distance takes as long as two or three nodes.
        if largestHint > 1 { budget -= 2 }
        weight *= resolver.hintFactor(target)
        guard isBetter(rank, weight) else { return }
        if let known = found.firstIndex(where: { $0.target == target }) {
            guard Self.isBetter(rank, weight, than: found[known]) else { return }
            found.remove(at: known)
        }
        let (key, spelling) = name()
        let position = found.firstIndex { Self.isBetter(rank, weight, than: $0) } ?? found.endIndex
        found.insert(
            Found(target: target, rank: rank, weight: weight, key: key, spelling: spelling), at: position)
        if found.count > limit { found.removeLast() }
    }

    private func isBetter(_ rank: Rank, _ weight: Double) -> Bool {
        guard isFull, let last = found.last else { return true }
        return Self.isBetter(rank, weight, than: last)
    }

    private static func isBetter(_ rank: Rank, _ weight: Double, than other: Found) -> Bool {
        rank.number != other.rank.number ? rank.number < other.rank.number : weight > other.weight
    }

    private static func spelling(of node: NameTrie.Node, _ key: [UInt8]) -> String {
        String(
            decoding: node.spelling.map { NameSpelling.decoded($0, of: key) } ?? NameSpelling.usual(key),
            as: UTF8.self)
    }
}
