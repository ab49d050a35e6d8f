extension SuggestionSearch {
    /// A misspelt name counts as in `ForwardCandidate`: a quarter with one wrong letter, a fortieth with two.
    private static let shares = [1, 0.25, 0.025]
    /// A name that the text has in full counts ten times what it would as the beginning of one.
    private static let fullShare = 10.0

    /// Adds names from which the key, or which the key's beginning, differs by some letters.
    ///
    /// The walk leaves a node when no name below is within the tolerance (`TypoWalk`), or when nothing below is heavy enough.
    ///
    /// - Parameter isFirstFree: whether the first letter may be wrong.
    mutating func typos(_ key: [UInt8], isFirstFree: Bool) {
        let letters = String(decoding: key, as: UTF8.self).unicodeScalars.map(\.value)
        let tolerance = TypoWalk.tolerance(letters: letters.count)
        guard tolerance > 0 else { return }
        var walk = TypoWalk(letters, tolerance: tolerance, isFirstFree: isFirstFree)
        let roots = gazetteer.names.roots
        visit(roots, &walk, TypoWalk.Position())
    }

    private mutating func visit(_ nodes: Range<Int>, _ walk: inout TypoWalk, _ position: TypoWalk.Position) {
        var offset = nodes.lowerBound
        while offset < nodes.upperBound, let node = gazetteer.names.node(at: offset, in: nodes) {
            offset = node.end
            guard mayAdd(node, Rank(.misspelt), Self.shares[1] * Self.fullShare) else { break }
            guard let next = walk.advance(position, over: node.label), next.begun > 0,
                walk.path.count < NameTrie.longestKey
            else { continue }
            walk.path += node.label
            defer { walk.path.removeLast(node.label.count) }
            guard next.isAlive else {
                addAll(node, &walk.path, Rank(.misspelt), Self.shares[next.begun])
                continue
            }
            if node.claimCount > 0, next.isWhole {
                let full = walk.edits(next)
                let share =
                    full <= walk.tolerance
                    ? Self.shares[full] * Self.fullShare
                    : next.begun <= walk.tolerance ? Self.shares[next.begun] : 0
                if share > 0, full > 0 { add(node, walk.path, Rank(.misspelt), share) }
            }
            visit(node.children..<node.end, &walk, next)
        }
    }
}
