/// The regions that the parts of a text after the first one name.
struct SuggestionRegions {
    /// The regions with the names that the parts have in full, by part.
    private var named: [[ForwardRegion]] = []
    private var namedBefore: [[ForwardRegion]] = []
    /// Whether the last part begins a name of a country or division, by its number.
    private var begunCountries: [Bool] = []
    private var begunDivisions: [Bool] = []
    private var begunCounties: Set<Int> = []
    private var hasBegun = false

    /// No region: everything matches.
    init() {}

    init(_ parts: some Collection<[[UInt8]]>, _ gazetteer: Gazetteer, _ budget: inout Int) {
        for words in parts {
            let claims = gazetteer.claims(of: words[...])
            named.append(
                gazetteer.regions(claims.isEmpty ? gazetteer.variantClaims(of: words[...]) : claims))
        }
        namedBefore = Array(named.dropLast())
        guard let last = Array(parts).last,
            let (node, _) = gazetteer.names.find(SpellingVariants.joined(last[...]))
        else { return }
        begunCountries = [Bool](repeating: false, count: gazetteer.countries.count / CountryRecord.size)
        begunDivisions = [Bool](repeating: false, count: gazetteer.admin1s.count / Admin1Record.size)
        collect(node, gazetteer.names, &budget, depth: 0)
    }

    /// Whether each part is a region, or the beginning of one.
    var canMatch: Bool {
        namedBefore.allSatisfy { !$0.isEmpty } && (named.last.map { !$0.isEmpty } ?? true || hasBegun)
    }

    private mutating func collect(
        _ node: NameTrie.Node, _ names: NameTrie, _ budget: inout Int, depth: Int
    ) {
        budget -= 1
        guard names.hasRegion(node), budget > 0, depth < NameTrie.longestKey else { return }
        for index in 0..<node.claimCount {
            switch names.claim(index, of: node) {
            case (.country, let number)? where begunCountries.indices.contains(number):
                begunCountries[number] = true
            case (.admin1, let number)? where begunDivisions.indices.contains(number):
                begunDivisions[number] = true
            case (.admin2, let number)?: begunCounties.insert(number)
            default: continue
            }
            hasBegun = true
        }
        var offset = node.children
        while offset < node.end, let child = names.node(at: offset, in: offset..<node.end) {
            collect(child, names, &budget, depth: depth + 1)
            offset = child.end
        }
    }

    /// Whether only the beginning of a region's name fits; nil if something lies in none of the regions.
    func isBegun(around target: ForwardTarget, _ gazetteer: Gazetteer) -> Bool? {
        if named.isEmpty || gazetteer.matches(target, named) { return false }
        return isInBegun(target, gazetteer) && gazetteer.matches(target, namedBefore) ? true : nil
    }

    private func isInBegun(_ target: ForwardTarget, _ gazetteer: Gazetteer) -> Bool {
        guard hasBegun else { return false }
        switch target {
        case .country(let number): return isBegun(country: number)
        case .admin1(let number):
            return isBegun(division: number)
                || isBegun(country: Int(gazetteer.country(ofAdmin1: UInt16(truncatingIfNeeded: number))))
        case .admin2(let number):
            return gazetteer.largestPlace(ofAdmin2: number).map { isInBegun(.place($0), gazetteer) } ?? false
        case .place(let place):
            return isBegun(division: Int(gazetteer.admin1(ofPlace: place)))
                || isBegun(country: Int(gazetteer.country(ofPlace: place)))
                || !begunCounties.isEmpty
                    && gazetteer.admin2(ofPlace: place).map { begunCounties.contains($0) } ?? false
        }
    }

    private func isBegun(country number: Int) -> Bool {
        number < begunCountries.count && begunCountries[number]
    }

    private func isBegun(division number: Int) -> Bool {
        number < begunDivisions.count && begunDivisions[number]
    }
}
