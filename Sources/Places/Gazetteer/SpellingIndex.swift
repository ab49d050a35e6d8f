/// Names to compare misspelt ones with: sorted, front-coded, in one run for each first letter.
///
/// A walk of a run keeps one row of the edit distance for every letter of the current name. So letters shared with
/// the previous name cost nothing, and names whose first letters already differ too much are skipped: tens of
/// microseconds for one edit, a few hundred for two.
///
/// The section holds the offsets at which the runs of a to z and the section end, 4 bytes each. A name is the number
/// of bytes that it shares with the previous name of its run, the number of its own bytes, and those bytes.
struct SpellingIndex {
    static let runs = 26
    static let lengths = 4...32
    /// Names have Latin letters and spaces only. A place's alternate names are included only for large places.
    static let populationForAlternates = 300_000

    let section: ByteSection

    /// One letter may be wrong in a name of 4 to 7 letters, two from 8 on.
    static func tolerance(letters: Int) -> Int {
        letters < 4 ? 0 : letters < 8 ? 1 : 2
    }

    /// Names within the tolerance of a misspelt one, with their distance: insertions, deletions,
    /// substitutions and swaps of neighbours, no letter touched twice (optimal string alignment).
    ///
    /// The first letter must be right, or swapped with the second.
    func corrections(of key: [UInt8]) -> [(key: [UInt8], edits: Int)] {
        let limit = Self.tolerance(letters: key.count)
        guard limit > 0, key.count <= Self.lengths.upperBound + limit else { return [] }
        var found: [(key: [UInt8], edits: Int)] = []
        var walk = Walk(key, limit: limit)
        walk.visit(section, run(of: key[0])) { found.append(($0, $1)) }
        if key[0] != key[1] {
            var swapped = key
            swapped.swapAt(0, 1)
            var walk = Walk(swapped, limit: limit - 1)
            walk.visit(section, run(of: swapped[0])) { found.append(($0, $1 + 1)) }
        }
        return found
    }

    private static let shortestBeginning = 6
    private static let mostCompletions = 200

    /// Names that the key begins; the key must have at least six letters.
    func completions(of key: [UInt8]) -> [[UInt8]] {
        guard key.count >= Self.shortestBeginning, key.count < Self.lengths.upperBound else { return [] }
        var found: [[UInt8]] = []
        var walk = Walk(key, limit: 0)
        walk.visit(section, run(of: key[0]), goingOn: true) { name, _ in
            if name.count > key.count, found.count < Self.mostCompletions { found.append(name) }
        }
        return found
    }

    private func run(of letter: UInt8) -> Range<Int> {
        guard (0x61...0x7A).contains(letter) else { return 0..<0 }
        let index = Int(letter) - 0x61
        let start = Int(section.integer(at: index * 4, as: UInt32.self))
        let end = Int(section.integer(at: index * 4 + 4, as: UInt32.self))
        return start..<max(start, min(end, section.count))
    }

    private struct Walk {
        private let key: [UInt8]
        private let limit: UInt8
        private let width: Int
        /// One row for each number of letters of the name, from zero.
        private var rows: [UInt8]
        private var name = [UInt8](repeating: 0, count: SpellingIndex.lengths.upperBound)

        /// More than any limit, and can be incremented without overflow.
        private static let far: UInt8 = 100

        init(_ key: [UInt8], limit: Int) {
            self.key = key
            self.limit = UInt8(limit)
            width = key.count + 1
            rows = [UInt8](repeating: Self.far, count: width * (SpellingIndex.lengths.upperBound + 1))
            for column in 0..<width { rows[column] = UInt8(min(column, Int(Self.far))) }
        }

        /// Calls back for every name of a run within the limit; with `goingOn`, also for longer names.
        mutating func visit(
            _ section: ByteSection, _ run: Range<Int>, goingOn: Bool = false, _ body: ([UInt8], Int) -> Void
        ) {
            let bytes = section.bytes(at: run.lowerBound, count: run.count)
            // The number of letters from which the current name differs too much.
            var dead = Int.max
            var offset = 0
            while offset + 2 <= bytes.count {
                let shared = Int(bytes[offset])
                let own = Int(bytes[offset + 1])
                let letters = offset + 2
                offset = letters + own
                if shared >= dead { continue }
                let length = shared + own
                guard length <= name.count, offset <= bytes.count else { return }
                dead = .max
                for index in 0..<own {
                    name[shared + index] = bytes[letters + index]
                    if goingOn, shared + index >= key.count { continue }
                    if advance(to: shared + index + 1) > limit {
                        dead = shared + index + 1
                        break
                    }
                }
                let compared = goingOn ? min(length, key.count) : length
                guard dead == .max, abs(compared - key.count) <= Int(limit) else { continue }
                let edits = rows[compared * width + width - 1]
                if edits <= limit { body(Array(name[0..<length]), Int(edits)) }
            }
        }

        /// Fills the row for the name's first letters, as far as it can be within the limit, and returns its
        /// least value.
        private mutating func advance(to length: Int) -> UInt8 {
            let reach = Int(limit)
            let first = max(1, length - reach)
            let last = min(width - 1, length + reach)
            guard first <= last else { return .max }
            let letter = name[length - 1]
            let before = length > 1 ? name[length - 2] : 0
            let (width, far) = (width, Self.far)
            return key.withUnsafeBufferPointer { key in
                rows.withUnsafeMutableBufferPointer { rows in
                    let row = length * width
                    let above = row - width
                    rows[row + first - 1] = first == 1 ? UInt8(length) : far
                    var least = rows[row + first - 1]
                    for column in first...last {
                        var value = min(rows[above + column], rows[row + column - 1]) &+ 1
                        value = min(value, rows[above + column - 1] &+ (key[column - 1] == letter ? 0 : 1))
                        if length > 1, column > 1, key[column - 2] == letter, key[column - 1] == before {
                            value = min(value, rows[above - width + column - 2] &+ 1)
                        }
                        rows[row + column] = value
                        least = min(least, value)
                    }
                    if last + 1 < width { rows[row + last + 1] = far }
                    return least
                }
            }
        }
    }
}

extension SpellingIndex {
    /// Lays out names, which must come in order.
    struct Writer {
        private var ends = [Int](repeating: 0, count: SpellingIndex.runs)
        private var bytes: [UInt8] = []
        private var previous: [UInt8] = []

        static func takes(_ key: UnsafeRawBufferPointer) -> Bool {
            guard SpellingIndex.lengths.contains(key.count), (0x61...0x7A).contains(key[0]) else {
                return false
            }
            return key.allSatisfy { $0 == 0x20 || (0x61...0x7A).contains($0) }
        }

        mutating func add(_ key: UnsafeRawBufferPointer) {
            if previous.first != key[0] { previous = [] }
            let shared = zip(previous, key).prefix { $0 == $1 }.count
            bytes.append(UInt8(shared))
            bytes.append(UInt8(key.count - shared))
            bytes.append(contentsOf: key[shared...])
            previous = Array(key)
            ends[Int(key[0]) - 0x61] = bytes.count
        }

        var section: SectionBytes {
            var section = SectionBytes()
            let start = (SpellingIndex.runs + 1) * 4
            var end = 0
            section.append(UInt32(start))
            for run in ends {
                end = max(end, run)
                section.append(UInt32(start + end))
            }
            section.bytes += bytes
            return section
        }
    }
}
