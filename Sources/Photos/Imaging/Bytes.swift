/// Checked big- and little-endian reads, which return nil beyond the end.
extension UnsafeRawBufferPointer {
    package func big16(_ at: Int) -> Int? {
        guard at >= 0, at <= count - 2 else { return nil }
        return Int(self[at]) << 8 | Int(self[at + 1])
    }

    package func big32(_ at: Int) -> Int? {
        guard let high = big16(at), let low = big16(at + 2) else { return nil }
        return high << 16 | low
    }

    package func little16(_ at: Int) -> Int? {
        guard at >= 0, at <= count - 2 else { return nil }
        return Int(self[at]) | Int(self[at + 1]) << 8
    }

    package func little24(_ at: Int) -> Int? {
        guard at >= 0, at <= count - 3, let low = little16(at) else { return nil }
        return low | Int(self[at + 2]) << 16
    }

    package func little32(_ at: Int) -> Int? {
        guard let low = little16(at), let high = little16(at + 2) else { return nil }
        return low | high << 16
    }

    package func has(_ text: StaticString, at: Int) -> Bool {
        guard at >= 0, at <= count - text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount where self[at + offset] != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Copies a range, which must be within bounds.
    package func copy(_ range: Range<Int>) -> [UInt8] { [UInt8](self[range]) }
}
