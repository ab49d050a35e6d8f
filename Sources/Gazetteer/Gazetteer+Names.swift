import Glibc

extension Gazetteer {
    /// Calls back for every name record of a key, in the file's order: a binary search in place.
    func forEachName(_ key: [UInt8], _ body: (NameRecord.Kind, Int) -> Void) {
        key.withUnsafeBytes { key in
            let count = names.count / NameRecord.size
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                if compare(middle, key) < 0 { low = middle + 1 } else { high = middle }
            }
            while low < count, compare(low, key) == 0 {
                let offset = low * NameRecord.size
                if let kind = NameRecord.Kind(rawValue: names.integer(at: offset + NameRecord.kind)) {
                    body(kind, Int(names.integer(at: offset + NameRecord.target, as: UInt32.self)))
                }
                low += 1
            }
        }
    }

    /// Orders a name record's key against another by bytes, then by length.
    private func compare(_ index: Int, _ key: UnsafeRawBufferPointer) -> CInt {
        let offset = index * NameRecord.size
        let start: UInt32 = names.integer(at: offset + NameRecord.keyOffset)
        let length: UInt16 = names.integer(at: offset + NameRecord.keyLength)
        let stored = keys.bytes(at: Int(start), count: Int(length))
        let shared = min(stored.count, key.count)
        if shared > 0, let left = stored.baseAddress, let right = key.baseAddress {
            let order = memcmp(left, right, shared)
            if order != 0 { return order }
        }
        return CInt(clamping: stored.count - key.count)
    }
}
