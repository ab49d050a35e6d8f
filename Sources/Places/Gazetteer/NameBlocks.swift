/// Sorted folded names, each with its claims, in blocks of a few keys.
///
/// A key is stored as the number of bytes that it shares with the previous key of its block, the number of its own
/// bytes, those bytes, the number of its claims, and the claims in 4 bytes each. The numbers of own bytes and claims
/// take 7 bits per byte, the lowest first. The section of blocks holds the number of all claims, then where
/// each block begins among the keys, 4 bytes each.
struct NameBlocks: Sendable {
    static let keysPerBlock = 16
    private static let kindShift: UInt32 = 29

    let keys: ByteSection
    let blocks: ByteSection

    /// The number of names, counted once for each thing that has the name.
    var claimCount: Int { Int(blocks.integer(at: 0, as: UInt32.self)) }

    /// Packs the kind and number of the thing that has a name.
    static func claim(_ kind: UInt8, _ target: UInt32) -> UInt32 {
        UInt32(kind) << kindShift | target
    }

    /// Calls back for every claim to a key, in order: a binary search of blocks, then a walk of one block.
    func forEachClaim(of key: [UInt8], _ body: (NameRecord.Kind, Int) -> Void) {
        var low = 0
        var high = blocks.count / 4 - 1
        while low < high {
            let middle = (low + high) / 2
            var cursor = Cursor(keys, range(ofBlock: middle))
            cursor.next()
            if key.lexicographicallyPrecedes(cursor.key) { high = middle } else { low = middle + 1 }
        }
        // The block before the first one that begins after the key.
        guard low > 0 else { return }
        var cursor = Cursor(keys, range(ofBlock: low - 1))
        while cursor.next() {
            guard cursor.key == key else {
                if key.lexicographicallyPrecedes(cursor.key) { return }
                continue
            }
            for claim in cursor.claims() {
                guard let kind = NameRecord.Kind(rawValue: UInt8(claim >> Self.kindShift)) else { continue }
                body(kind, Int(claim & (1 << Self.kindShift - 1)))
            }
            return
        }
    }

    private func range(ofBlock block: Int) -> Range<Int> {
        let start = Int(blocks.integer(at: (block + 1) * 4, as: UInt32.self))
        let isLast = (block + 2) * 4 >= blocks.count
        let end = isLast ? keys.count : Int(blocks.integer(at: (block + 2) * 4, as: UInt32.self))
        return start..<max(start, min(end, keys.count))
    }

    /// Reads the keys of a block; stops where damage would lead out of it.
    private struct Cursor {
        private let section: ByteSection
        private let end: Int
        private var offset: Int
        private var claimRange = 0..<0
        private(set) var key: [UInt8] = []

        init(_ section: ByteSection, _ range: Range<Int>) {
            self.section = section
            offset = range.lowerBound
            end = range.upperBound
        }

        @discardableResult
        mutating func next() -> Bool {
            guard offset < end else { return false }
            let shared = Int(section.integer(at: offset, as: UInt8.self))
            offset += 1
            let length = count()
            guard shared <= key.count, length <= end - offset else { return stop() }
            key.removeLast(key.count - shared)
            key.append(contentsOf: section.bytes(at: offset, count: length))
            offset += length
            let claims = count()
            guard claims <= (end - offset) / 4 else { return stop() }
            claimRange = offset..<offset + claims * 4
            offset = claimRange.upperBound
            return true
        }

        func claims() -> some Sequence<UInt32> {
            stride(from: claimRange.lowerBound, to: claimRange.upperBound, by: 4).lazy.map {
                section.integer(at: $0)
            }
        }

        private mutating func stop() -> Bool {
            offset = end
            key = []
            return false
        }

        private mutating func count() -> Int {
            var value = 0
            var shift = 0
            while offset < end, shift <= 28 {
                let byte = Int(section.integer(at: offset, as: UInt8.self))
                offset += 1
                value |= (byte & 0x7F) << shift
                if byte < 0x80 { break }
                shift += 7
            }
            return value
        }
    }
}

extension NameBlocks {
    /// Lays out keys, which must come in order.
    struct Writer {
        private var keys = SectionBytes()
        private var starts = SectionBytes()
        private var previous: [UInt8] = []
        private var keyCount = 0
        private var claimCount = 0

        var sections: (keys: SectionBytes, blocks: SectionBytes, count: Int) {
            var blocks = SectionBytes()
            blocks.append(UInt32(claimCount))
            blocks.bytes += starts.bytes
            return (keys, blocks, claimCount)
        }

        mutating func add(_ key: UnsafeRawBufferPointer, _ claims: [UInt32]) {
            if keyCount % NameBlocks.keysPerBlock == 0 {
                starts.append(UInt32(keys.bytes.count))
                previous = []
            }
            let shared = min(zip(previous, key).prefix { $0 == $1 }.count, Int(UInt8.max))
            keys.append(UInt8(shared))
            appendCount(key.count - shared)
            keys.bytes.append(contentsOf: key[shared...])
            appendCount(claims.count)
            for claim in claims { keys.append(claim) }
            previous = Array(key)
            keyCount += 1
            claimCount += claims.count
        }

        private mutating func appendCount(_ value: Int) {
            var rest = value
            while rest >= 0x80 {
                keys.append(UInt8(rest & 0x7F | 0x80))
                rest >>= 7
            }
            keys.append(UInt8(rest))
        }
    }
}
