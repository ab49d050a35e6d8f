import Glibc

/// Folded names as a tree of their common beginnings, each with what it names and how it is spelt.
///
/// It is the completion trie of Hsu and Ottaviano ("Space-Efficient Data Structures for Top-k Completion", WWW 2013,
/// section 4): a radix tree in which each node knows the largest weight below it, and children come by this weight, so that
/// a search for the heaviest names reads little of it.
///
/// The section begins with the number of all claims in 4 bytes, then come the nodes. A node is
///
///     1 byte    the length of its label, 0...127; with 128 added if a region's name is in the node or below it
///     1 byte    the largest weight of its claims and of those below: see `NameTrie.bound(_:)`
///     varint    the length of all that follows
///     label     bytes of the name that follow those of the nodes above
///     varint    the number of claims, times two; one more if a spelling follows the claims
///     claims    4 bytes each: see `NameTrie.claim(_:_:)`
///     spelling  one byte with its length, and its bytes; without it, `NameTrie.capitalized(_:)` spells the name
///     nodes     the children, until the end
///
/// A varint has 7 bits per byte, the lowest first.
struct NameTrie: Sendable {
    struct Node {
        let best: UInt8
        let hasRegion: Bool
        let label: UnsafeRawBufferPointer
        /// Where claims, children and the next sibling begin.
        let claims: Int
        let claimCount: Int
        let spelling: UnsafeRawBufferPointer?
        let children: Int
        let end: Int
    }

    static let longestLabel = 127
    /// A walk goes no deeper, whatever a damaged index says; names have 1,000 bytes at most.
    static let longestKey = 4_000
    static let regionFlag: UInt8 = 128
    private static let kindShift: UInt32 = 28
    private static let firstNode = 4

    let section: ByteSection

    /// The number of names, counted once for each thing that has the name.
    var claimCount: Int { Int(section.integer(at: 0, as: UInt32.self)) }

    /// Where the nodes of the first letters are.
    var roots: Range<Int> { min(Self.firstNode, section.count)..<section.count }

    /// Packs the kind and number of the thing that has a name.
    static func claim(_ kind: UInt8, _ target: UInt32) -> UInt32 {
        UInt32(kind) << kindShift | target
    }

    /// The weight that a byte of a node stands for, never less than the weight that was stored: steps of 2^(1/7).
    @inline(__always)
    static func bound(_ best: UInt8) -> Double { bounds[Int(best)] }

    private static let bounds: [Double] = (0...255).map { exp2(Double($0) / 7) }

    /// The node at an offset; nil where damage leads out of the range.
    @inline(__always)
    func node(at offset: Int, in range: Range<Int>) -> Node? {
        guard offset + 3 <= range.upperBound else { return nil }
        let first: UInt8 = section.integer(at: offset)
        var next = offset + 2
        let length = count(&next)
        let end = next + length
        let labelEnd = next + Int(first & ~Self.regionFlag)
        guard next < labelEnd, labelEnd < end, end <= range.upperBound else { return nil }
        let label = section.bytes(at: next, count: labelEnd - next)
        next = labelEnd
        let counts = count(&next)
        let claims = next
        guard counts >> 1 <= (end - next) / 4 else { return nil }
        next += (counts >> 1) * 4
        var spelling: UnsafeRawBufferPointer?
        if counts & 1 == 1 {
            let length = Int(section.integer(at: next, as: UInt8.self))
            guard next + 1 + length <= end else { return nil }
            spelling = section.bytes(at: next + 1, count: length)
            next += 1 + length
        }
        return Node(
            best: section.integer(at: offset + 1), hasRegion: first & Self.regionFlag != 0, label: label,
            claims: claims, claimCount: counts >> 1, spelling: spelling, children: next, end: end)
    }

    @inline(__always)
    func claim(_ index: Int, of node: Node) -> (kind: NameRecord.Kind, target: Int)? {
        let claim: UInt32 = section.integer(at: node.claims + index * 4)
        guard let kind = NameRecord.Kind(rawValue: UInt8(claim >> Self.kindShift)) else { return nil }
        return (kind, Int(claim & (1 << Self.kindShift - 1)))
    }

    /// Calls back for every claim to a key, in order.
    func forEachClaim(of key: [UInt8], _ body: (NameRecord.Kind, Int) -> Void) {
        guard let (node, surplus) = find(key), surplus.isEmpty else { return }
        for index in 0..<node.claimCount {
            if let claim = claim(index, of: node) { body(claim.kind, claim.target) }
        }
    }

    /// The node below which all names begin with a key, and the bytes of its label that follow the key.
    func find(_ key: [UInt8]) -> (node: Node, surplus: UnsafeRawBufferPointer)? {
        var range = roots
        var offset = range.lowerBound
        var matched = 0
        while let node = node(at: offset, in: range) {
            let shared = zip(node.label, key[matched...]).prefix { $0 == $1 }.count
            if shared == 0 {
                offset = node.end
                continue
            }
            matched += shared
            if matched == key.count { return (node, UnsafeRawBufferPointer(rebasing: node.label[shared...])) }
            guard shared == node.label.count else { return nil }
            range = node.children..<node.end
            offset = range.lowerBound
        }
        return nil
    }

    @inline(__always)
    private func count(_ offset: inout Int) -> Int {
        var value = 0
        var shift = 0
        while shift <= 28 {
            let byte = Int(section.integer(at: offset, as: UInt8.self))
            offset += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }

    /// The name with a capital at the beginning of each word, if that is a letter of ASCII: how most names are spelt.
    static func capitalized(_ key: some Sequence<UInt8>) -> [UInt8] {
        var isStart = true
        return key.map { byte in
            defer { isStart = byte == 0x20 }
            return isStart && (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
        }
    }
}
