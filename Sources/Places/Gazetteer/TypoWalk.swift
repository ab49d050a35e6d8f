/// The table of distances between a text and the beginnings of the names of a trie.
///
/// Differences are insertions, deletions, substitutions and swaps of neighbours, no letter touched twice (optimal
/// string alignment). A walk of the trie keeps one row of the table of distances for each letter (Ukkonen,
/// "Algorithms for Approximate String Matching", 1985, with the band of his cut-off), and leaves a node when no cell of
/// its row is within the tolerance.
struct TypoWalk {
    struct Position {
        /// The number of the name's letters.
        var length = 0
        /// The letter of which some bytes are still to come, and how many.
        var letter: UInt32 = 0
        var missing = 0
        /// The fewest edits between the text and a beginning of the name; more than any tolerance if there is none.
        var begun = TypoWalk.far
        /// Whether a longer name may still be nearer than that.
        var isAlive = true

        var isWhole: Bool { missing == 0 }
    }

    /// More than any tolerance, and can be incremented without overflow.
    static let far = 100

    /// One letter may be wrong in a name of 4 to 7 letters, two from 8 on.
    static func tolerance(letters: Int) -> Int { letters < 4 ? 0 : letters < 8 ? 1 : 2 }

    let tolerance: Int
    var path: [UInt8] = []
    private let isFirstFree: Bool
    private let text: [UInt32]
    private let width: Int
    /// The letters of the name, from its first one.
    private var name: [UInt32]
    /// One row for each number of letters of the name, from zero.
    private var rows: [UInt8]

    init(_ text: [UInt32], tolerance: Int, isFirstFree: Bool) {
        self.text = text
        self.tolerance = tolerance
        self.isFirstFree = isFirstFree
        width = text.count + 1
        let height = text.count + tolerance + 2
        name = [UInt32](repeating: 0, count: height)
        rows = [UInt8](repeating: UInt8(Self.far), count: width * height)
        for column in 0..<min(width, tolerance + 1) { rows[column] = UInt8(column) }
    }

    /// The edits between the text and the name so far.
    func edits(_ position: Position) -> Int {
        // Farther left, the last column of the row is not filled.
        guard position.length + tolerance >= text.count else { return Self.far }
        return Int(rows[position.length * width + width - 1])
    }

    /// Nil if no name with these bytes is within the tolerance.
    mutating func advance(_ position: Position, over label: UnsafeRawBufferPointer) -> Position? {
        var next = position
        for byte in label {
            if byte & 0xC0 == 0x80 {
                next.letter = next.letter << 6 | UInt32(byte & 0x3F)
                next.missing -= 1
            } else {
                let lead = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
                next.letter = lead == 0 ? UInt32(byte) : UInt32(byte) & (0x3F >> UInt32(lead))
                next.missing = lead
            }
            guard next.missing <= 0 else { continue }
            next.missing = 0
            if next.length == 0, !isFirstFree, next.letter != text[0] { return nil }
            let least = fill(&next)
            next.begun = min(next.begun, edits(next))
            guard least > tolerance else { continue }
            next.isAlive = false
            return next.begun <= tolerance ? next : nil
        }
        return next
    }

    /// Fills the row after one more letter, as far as it can be within the tolerance, and returns its least value.
    private mutating func fill(_ position: inout Position) -> Int {
        position.length += 1
        let length = position.length
        let first = max(1, length - tolerance)
        let last = min(width - 1, length + tolerance)
        guard first <= last else { return Self.far }
        name[length] = position.letter
        let letter = position.letter
        let before = name[length - 1]
        let row = length * width
        let width = width
        let text = text
        return rows.withUnsafeMutableBufferPointer { rows in
            let above = row - width
            rows[row + first - 1] = first == 1 ? UInt8(min(length, Self.far)) : UInt8(Self.far)
            var least = rows[row + first - 1]
            for column in first...last {
                var value = min(rows[above + column], rows[row + column - 1]) &+ 1
                value = min(value, rows[above + column - 1] &+ (text[column - 1] == letter ? 0 : 1))
                if length > 1, column > 1, text[column - 2] == letter, text[column - 1] == before {
                    value = min(value, rows[above - width + column - 2] &+ 1)
                }
                rows[row + column] = value
                least = min(least, value)
            }
            if last + 1 < width { rows[row + last + 1] = UInt8(Self.far) }
            return Int(least)
        }
    }
}

extension NameTrie {
    /// Calls back for the names that differ from a text by some letters, but not by the first one.
    func forEachName(
        like text: [UInt32], tolerance: Int, _ body: (Node, _ name: [UInt8], _ edits: Int) -> Void
    ) {
        var walk = TypoWalk(text, tolerance: tolerance, isFirstFree: false)
        visit(roots, &walk, TypoWalk.Position(), body)
    }

    private func visit(
        _ nodes: Range<Int>, _ walk: inout TypoWalk, _ position: TypoWalk.Position,
        _ body: (Node, [UInt8], Int) -> Void
    ) {
        var offset = nodes.lowerBound
        while offset < nodes.upperBound, let node = node(at: offset, in: nodes) {
            offset = node.end
            guard let next = walk.advance(position, over: node.label), next.isAlive,
                walk.path.count < NameTrie.longestKey
            else { continue }
            walk.path += node.label
            let edits = walk.edits(next)
            if node.claimCount > 0, next.isWhole, edits <= walk.tolerance { body(node, walk.path, edits) }
            visit(node.children..<node.end, &walk, next, body)
            walk.path.removeLast(node.label.count)
        }
    }
}
