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
        var prefix: UInt64 = 0
        for index in 0..<8 {
            prefix = prefix << 8 | (index < length ? UInt64(pool[start + index]) : 0)
        }
        entries.append(
            Entry(
                prefix: prefix, offset: UInt32(start), length: UInt16(length), kind: kind.rawValue,
                target: UInt32(target)))
    }

    /// Sorts by key, kind and target, and leaves out what repeats a better claim.
    mutating func layOut() -> (keys: SectionBytes, names: SectionBytes) {
        var keys = SectionBytes()
        var names = SectionBytes()
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
                return left.kind != right.kind ? left.kind < right.kind : left.target < right.target
            }
            var previous: Entry?
            var keyOffset = 0
            var placesOfKey: Set<UInt32> = []
            for entry in entries {
                let isSameKey = previous.map { order($0, entry) == 0 } ?? false
                if !isSameKey {
                    keyOffset = keys.bytes.count
                    keys.bytes.append(
                        contentsOf: pool[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)])
                    placesOfKey.removeAll(keepingCapacity: true)
                }
                let isPlace = entry.kind <= NameRecord.Kind.placeAlternate.rawValue
                let isRepeated =
                    isPlace
                    ? !placesOfKey.insert(entry.target).inserted
                    : isSameKey && previous?.kind == entry.kind && previous?.target == entry.target
                previous = entry
                if isRepeated { continue }
                names.append(UInt32(keyOffset))
                names.append(entry.target)
                names.append(entry.length)
                names.append(entry.kind)
                names.append(UInt8(0))
            }
        }
        return (keys, names)
    }
}
