import Glibc

/// Folded names as a tree of their common beginnings, each with what it names and how it is spelt.
///
/// It is the completion trie of Hsu and Ottaviano ("Space-Efficient Data Structures for Top-k Completion", WWW 2013,
/// section 4): a radix tree in which each node knows the largest weight below it, and children come by this weight, so that
/// a search for the heaviest names reads little of it.
///
/// The section begins with the number of all claims and the size of one, in 4 bytes each, then come the nodes. A node is
///
///     1 byte    the length of its label, 1...15, less one; 15 if a byte with the length follows the varint. With 16 added
///               for each claim, up to two, or 48 if their number follows the label; with 64 if a spelling follows the claims,
///               and with 128 if the node is a leaf
///     1 byte    the largest weight of its claims and of those below: see `NameTrie.bound(_:)`
///     varint    unless it is a leaf: the length of all that follows, times two, and one more if a region's name is in the
///               node or below it
///     label     bytes of the name that follow those of the nodes above
///     varint    the number of claims, if there are more than two
///     claims    3 bytes each, or 4 if there are more than a million places: see `NameTrie.Claim`
///     spelling  see `NameSpelling`; without it, the name is spelt as usual
///     nodes     the children, until the end
///
/// A varint has 7 bits per byte, the lowest first.
struct NameTrie: Sendable {
    struct Node {
        let best: UInt8
        /// Of a node with children; of a leaf, its claims say so.
        fileprivate let hasRegion: Bool
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
    /// The bits of a node's first byte.
    enum First {
        static let longLabel: UInt8 = 15
        static let claimShift: UInt8 = 4
        static let manyClaims: UInt8 = 3
        static let spelling: UInt8 = 64
        static let leaf: UInt8 = 128
    }
    /// The kind of a name in the highest four bits, and the number of what has it in the others.
    enum Claim {
        static func pack(_ kind: UInt8, _ target: UInt32, size: Int) -> UInt32 {
            UInt32(kind) << kindShift(size) | target
        }
        static func kindShift(_ size: Int) -> UInt32 { UInt32(size) * 8 - 4 }
    }
    static let firstNode = 8

    let section: ByteSection
    private let claimSize: Int

    init(section: ByteSection) {
        self.section = section
        claimSize = section.count >= Self.firstNode && section.integer(at: 4, as: UInt32.self) == 3 ? 3 : 4
    }

    /// The number of names, counted once for each thing that has the name.
    var claimCount: Int { Int(section.integer(at: 0, as: UInt32.self)) }

    /// Where the nodes of the first letters are.
    var roots: Range<Int> { min(Self.firstNode, section.count)..<section.count }

    /// The weight that a byte of a node stands for, never less than the weight that was stored: steps of 2^(1/7).
    @inline(__always)
    static func bound(_ best: UInt8) -> Double { bounds[Int(best)] }

    private static let bounds: [Double] = (0...255).map { exp2(Double($0) / 7) }

    /// The node at an offset; nil where damage leads out of the range.
    @inline(__always)
    func node(at offset: Int, in range: Range<Int>) -> Node? {
        guard offset + 3 <= range.upperBound else { return nil }
        let first: UInt8 = section.integer(at: offset)
        let isLeaf = first & First.leaf != 0
        var next = offset + 2
        let length = isLeaf ? 0 : section.varint(&next)
        var end = isLeaf ? range.upperBound : next + length >> 1
        guard end <= range.upperBound else { return nil }
        var labelLength = Int(first & First.longLabel) + 1
        if labelLength > First.longLabel {
            labelLength = Int(section.integer(at: next, as: UInt8.self))
            next += 1
        }
        let labelEnd = next + labelLength
        guard next < labelEnd, labelEnd <= end else { return nil }
        let label = section.bytes(at: next, count: labelLength)
        next = labelEnd
        var claimCount = Int(first >> First.claimShift & First.manyClaims)
        if claimCount == First.manyClaims { claimCount = section.varint(&next) }
        let claims = next
        guard next <= end, claimCount <= (end - next) / claimSize else { return nil }
        next += claimCount * claimSize
        var spelling: UnsafeRawBufferPointer?
        if first & First.spelling != 0 {
            let length = NameSpelling.length(section.integer(at: next + 1), section.integer(at: next + 3))
            guard next + length <= end else { return nil }
            spelling = section.bytes(at: next, count: length)
            next += length
        }
        if isLeaf { end = next }
        return Node(
            best: section.integer(at: offset + 1), hasRegion: length & 1 != 0, label: label,
            claims: claims, claimCount: claimCount, spelling: spelling, children: next, end: end)
    }

    @inline(__always)
    func claim(_ index: Int, of node: Node) -> (kind: NameRecord.Kind, target: Int)? {
        let offset = node.claims + index * claimSize
        let claim =
            claimSize == 4
            ? section.integer(at: offset, as: UInt32.self)
            : UInt32(section.integer(at: offset, as: UInt16.self))
                | UInt32(section.integer(at: offset + 2, as: UInt8.self)) << 16
        let shift = Claim.kindShift(claimSize)
        guard let kind = NameRecord.Kind(rawValue: UInt8(claim >> shift)) else { return nil }
        return (kind, Int(claim & (1 << shift - 1)))
    }

    /// Whether a region's name is in a node or below it.
    func hasRegion(_ node: Node) -> Bool {
        node.hasRegion
            || node.children == node.end
                && (0..<node.claimCount).contains { claim($0, of: node)?.kind.isRegion ?? false }
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
}
