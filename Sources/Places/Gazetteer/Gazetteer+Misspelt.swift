extension Gazetteer {
    /// Letters of the names that a misspelt or unfinished one may stand for.
    private static let misspeltLetters = 4...32
    /// Another name of a place may be misspelt if the place has as many inhabitants.
    private static let populationForAlternates = 300_000
    private static let shortestBeginning = 6
    private static let mostCompletions = 200

    /// Names that a misspelt one may be, with the number of wrong letters: see `TypoWalk`.
    ///
    /// The first letter must be right, or swapped with the second.
    func corrections(of key: [UInt8]) -> [(key: [UInt8], edits: Int)] {
        let text = String(decoding: key, as: UTF8.self).unicodeScalars.map(\.value)
        let tolerance = TypoWalk.tolerance(letters: text.count)
        guard tolerance > 0, text.count <= Self.misspeltLetters.upperBound + tolerance else { return [] }
        var found: [(key: [UInt8], edits: Int)] = []
        names.forEachName(like: text, tolerance: tolerance) { node, name, edits in
            if isSpelt(node, name) { found.append((name, edits)) }
        }
        if text[0] != text[1] {
            var swapped = text
            swapped.swapAt(0, 1)
            names.forEachName(like: swapped, tolerance: tolerance - 1) { node, name, edits in
                if isSpelt(node, name) { found.append((name, edits + 1)) }
            }
        }
        return found
    }

    /// Names that an unfinished one of at least six letters begins; the heaviest first, if there are many.
    func completions(of key: [UInt8]) -> [[UInt8]] {
        guard key.count >= Self.shortestBeginning, let (node, surplus) = names.find(key) else { return [] }
        var path = key + surplus
        var found: [[UInt8]] = []
        if !surplus.isEmpty, isSpelt(node, path) { found.append(path) }
        complete(node, &path, &found)
        return found
    }

    private func complete(_ node: NameTrie.Node, _ path: inout [UInt8], _ found: inout [[UInt8]]) {
        var offset = node.children
        while offset < node.end, found.count < Self.mostCompletions,
            let child = names.node(at: offset, in: offset..<node.end),
            path.count <= Self.misspeltLetters.upperBound
        {
            path += child.label
            if isSpelt(child, path) { found.append(path) }
            complete(child, &path, &found)
            path.removeLast(child.label.count)
            offset = child.end
        }
    }

    /// Whether a name may be meant by a misspelt or unfinished one: Latin letters and blanks, that name more than a small
    /// place's other name, a code, or a county.
    private func isSpelt(_ node: NameTrie.Node, _ name: [UInt8]) -> Bool {
        guard node.claimCount > 0, Self.misspeltLetters.contains(name.count),
            name.allSatisfy({ $0 == 0x20 || (0x61...0x7A).contains($0) })
        else { return false }
        return (0..<node.claimCount).contains { index in
            guard let (kind, target) = names.claim(index, of: node) else { return false }
            return switch kind {
            case .place, .admin1, .country: true
            case .placeAlternate: population(ofPlace: target) >= Self.populationForAlternates
            case .admin1Code, .countryCode, .admin2, .placeCode, .admin1Alternate, .admin2Alternate,
                .countryAlternate, .continent:
                false
            }
        }
    }
}
