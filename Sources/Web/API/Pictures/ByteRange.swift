/// A range of bytes that a client asks for (RFC 9110, section 14).
enum ByteRange: Hashable {
    case whole
    case part(ClosedRange<Int64>)
    /// Nothing of it exists: 416.
    case unsatisfiable

    /// Several ranges, other units and what is not understood mean the whole, as the RFC allows.
    init(_ header: String?, byteCount: Int64) {
        self = .whole
        guard let header, header.prefix(6).lowercased() == "bytes=", case let text = header.dropFirst(6),
            !text.contains(",")
        else {
            return
        }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return
        }
        switch (Self.number(ends[0]), Self.number(ends[1])) {
        case (nil, let count?):
            self =
                count == 0 || byteCount == 0
                ? .unsatisfiable : .part(max(0, byteCount - count)...byteCount - 1)
        case (let first?, nil):
            self = first < byteCount ? .part(first...byteCount - 1) : .unsatisfiable
        case (let first?, let last?) where first <= last:
            self = first < byteCount ? .part(first...min(last, byteCount - 1)) : .unsatisfiable
        default: break
        }
    }

    /// A number with too many digits is beyond the end of every file.
    private static func number(_ digits: Substring) -> Int64? {
        digits.isEmpty ? nil : Int64(digits) ?? .max
    }
}
