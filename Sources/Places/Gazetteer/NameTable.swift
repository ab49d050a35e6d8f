import Glibc

/// Collects folded names and lays them out sorted.
struct NameTable {
    private struct Entry {
        /// The key's first eight bytes, big-endian: decides most comparisons.
        var prefix: UInt64
        var offset: UInt32
        var length: UInt16
        var kind: UInt8
        var target: UInt32
        /// The bytes after the key that say how the name is spelt: see `NameSpelling`.
        var spelling: UInt8
    }

    private var pool: [UInt8] = []
    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func reserve(_ names: Int) {
        entries.reserveCapacity(names)
        pool.reserveCapacity(names * 12)
    }

    mutating func add(_ name: String, _ kind: NameRecord.Kind, _ target: Int) {
        var name = name
        name.withUTF8 { add(UnsafeRawBufferPointer($0), kind, target) }
    }

    mutating func add(_ name: UnsafeRawBufferPointer, _ kind: NameRecord.Kind, _ target: Int) {
        let start = pool.count
        NameFolding.append(name, to: &pool)
        let length = pool.count - start
        guard length > 0, length < Int(UInt16.max) else {
            pool.removeLast(length)
            return
        }
        let isUsual = name.elementsEqual(NameSpelling.usual(pool[start...]))
        if !isUsual, name.count <= Int(UInt8.max) { pool.append(contentsOf: name) }
        var prefix: UInt64 = 0
        for index in 0..<8 {
            prefix = prefix << 8 | (index < length ? UInt64(pool[start + index]) : 0)
        }
        entries.append(
            Entry(
                prefix: prefix, offset: UInt32(start), length: UInt16(length), kind: kind.rawValue,
                target: UInt32(target), spelling: UInt8(pool.count - start - length)))
    }

    /// Adds another name of a place. Two to four capital letters are a code, such as "MIT" for the airport of Shafter.
    mutating func addAlternate(_ name: UnsafeRawBufferPointer, _ place: Int) {
        let isCode = (2...4).contains(name.count) && name.allSatisfy { (0x41...0x5A).contains($0) }
        add(name, isCode ? .placeCode : .placeAlternate, place)
    }

    /// Sorts by key, kind and target, and leaves out duplicates of a better claim: see `NameTrie`.
    ///
    /// A name is spelt as by its best claim.
    mutating func layOut(weight: (NameRecord.Kind, Int) -> Double) -> (names: SectionBytes, count: Int) {
        var writer = NameTrie.Writer()
        var hasRegion = false
        var heaviest = 0.0
        var first = 0
        pool.withUnsafeBytes { pool in
            guard let base = pool.baseAddress else { return }
            func order(_ left: Entry, _ right: Entry) -> CInt {
                if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
                let shared = Int(min(left.length, right.length))
                let order = memcmp(base + Int(left.offset), base + Int(right.offset), shared)
                return order != 0 ? order : CInt(left.length) - CInt(right.length)
            }
            entries.sort { left, right in
                let order = order(left, right)
                if order != 0 { return order < 0 }
                return (left.kind, left.target, left.offset) < (right.kind, right.target, right.offset)
            }
            var claims: [NameTrie.Writer.Claim] = []
            var placesOfKey: Set<UInt32> = []
            for (index, entry) in entries.enumerated() {
                let isPlace = entry.kind <= NameRecord.Kind.placeAlternate.rawValue
                let claim = NameTrie.Writer.Claim(kind: entry.kind, target: entry.target)
                let original = NameRecord.Kind(rawValue: entry.kind)?.original.rawValue ?? entry.kind
                let isRepeated =
                    isPlace
                    ? !placesOfKey.insert(entry.target).inserted
                    : claims.last == claim
                        || original != entry.kind
                            && claims.contains(NameTrie.Writer.Claim(kind: original, target: entry.target))
                if !isRepeated { claims.append(claim) }
                if let kind = NameRecord.Kind(rawValue: entry.kind) {
                    hasRegion = hasRegion || kind.isRegion
                    heaviest = max(heaviest, weight(kind, Int(entry.target)))
                }
                if index + 1 < entries.count, order(entry, entries[index + 1]) == 0 { continue }
                let start = Int(entry.offset)
                let key = UnsafeRawBufferPointer(rebasing: pool[start..<start + Int(entry.length)])
                let best = entries[first]
                let spelling = Int(best.offset) + Int(best.length)
                writer.add(
                    key, claims,
                    spelling: UnsafeRawBufferPointer(
                        rebasing: pool[spelling..<spelling + Int(best.spelling)]),
                    weight: heaviest, hasRegion: hasRegion)
                hasRegion = false
                heaviest = 0
                first = index + 1
                claims.removeAll(keepingCapacity: true)
                placesOfKey.removeAll(keepingCapacity: true)
            }
        }
        return writer.layOut()
    }
}
