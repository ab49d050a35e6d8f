import Imaging

/// The parts of XMP that do not fit into one segment of a JPEG (XMP specification part 3, 1.1.3.1).
struct XMPExtensions {
    private struct Part {
        /// Bytes of all parts together.
        var total: Int
        /// Where the part begins among them.
        var offset: Int
        var data: Range<Int>
    }

    /// By the 32 letters that the photo's packet repeats.
    private var parts: [String: [Part]] = [:]
    private var count = 0
    private static let mostParts = 1 << 10

    /// Keeps a part, and tells whether the segment is one.
    mutating func note(_ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>) -> Bool {
        guard bytes.has("http://ns.adobe.com/xmp/extension/\0", at: payload.lowerBound) else { return false }
        let id = payload.lowerBound + 35..<payload.lowerBound + 67
        guard id.upperBound + 8 <= payload.upperBound, count < Self.mostParts,
            let total = bytes.big32(id.upperBound), let offset = bytes.big32(id.upperBound + 4)
        else { return true }
        let part = Part(total: total, offset: offset, data: id.upperBound + 8..<payload.upperBound)
        parts[String(decoding: bytes[id], as: UTF8.self), default: []].append(part)
        count += 1
        return true
    }

    /// The packets of which every byte is there.
    func whole(in bytes: UnsafeRawBufferPointer) -> [String: [UInt8]] {
        parts.compactMapValues { parts in
            var whole: [UInt8] = []
            for part in parts.sorted(by: { $0.offset < $1.offset }) where part.offset == whole.count {
                whole += bytes[part.data]
            }
            return whole.count == parts[0].total ? whole : nil
        }
    }
}
