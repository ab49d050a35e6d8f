import Glibc

/// Walks the marker structure of a JPEG (ITU-T T.81 annex B) without decoding anything.
///
/// Every read is checked; memory and time are linear in the number of bytes.
package struct JPEGSegments: IteratorProtocol {
    package enum Element: Sendable, Equatable {
        /// A marker segment; `payload` excludes the marker and its length.
        case segment(marker: UInt8, payload: Range<Int>)
        /// Entropy-coded data after a start-of-scan segment, restart markers included.
        case scan(Range<Int>)
        /// The end-of-image marker; `end` is the position after it.
        case end(Int)
        /// The bytes end before the end-of-image marker.
        case truncated(at: Int)
        /// Bytes before a marker that belong to nothing. Decoders skip them and warn.
        case stray(Range<Int>)
        /// There is something that no decoder reads on from.
        case malformed(at: Int)
    }

    private enum State { case start, segments, scan, finished }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var state = State.start

    /// - Parameter bytes: must outlive the walk.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package mutating func next() -> Element? {
        switch state {
        case .finished:
            return nil
        case .start:
            guard bytes.count >= 2 else { return finish(.truncated(at: bytes.count)) }
            guard bytes[0] == 0xFF, bytes[1] == 0xD8 else { return finish(.malformed(at: 0)) }
            position = 2
            state = .segments
            return segment()
        case .segments:
            return segment()
        case .scan:
            state = .segments
            return scan()
        }
    }

    private mutating func finish(_ element: Element) -> Element {
        state = .finished
        return element
    }

    private mutating func segment() -> Element {
        let start = position
        guard let at = nextMarker() else { return finish(.truncated(at: bytes.count)) }
        guard at == start else {
            position = at
            return .stray(start..<at)
        }
        while position < bytes.count, bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { return finish(.truncated(at: position)) }
        let marker = bytes[position]
        position += 1
        switch marker {
        case 0xD9:
            return finish(.end(position))
        case 0xD8:
            return finish(.malformed(at: position - 1))
        default:
            guard position + 2 <= bytes.count else { return finish(.truncated(at: bytes.count)) }
            var length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            // Decoders read on behind an application's segment or a comment that is shorter than its own length.
            if length < 2, 0xE0...0xEF ~= marker || marker == 0xFE { length = 2 }
            guard length >= 2 else { return finish(.malformed(at: position)) }
            guard position + length <= bytes.count else { return finish(.truncated(at: bytes.count)) }
            let payload = position + 2..<position + length
            position += length
            if marker == 0xDA { state = .scan }
            return .segment(marker: marker, payload: payload)
        }
    }

    /// The position of the next marker, or of the fill bytes before it. Outside of a scan, a stuffed zero, a restart and
    /// TEM mean nothing (libjpeg skips them too).
    private func nextMarker() -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var from = position
        while from < bytes.count, let found = memchr(base + from, 0xFF, bytes.count - from) {
            let at = UnsafeRawPointer(found) - base
            from = at
            while from < bytes.count, bytes[from] == 0xFF { from += 1 }
            guard from < bytes.count else { return nil }
            switch bytes[from] {
            case 0x00, 0x01, 0xD0...0xD7: from += 1
            default: return at
            }
        }
        return nil
    }

    private mutating func scan() -> Element {
        let start = position
        guard let base = bytes.baseAddress else { return finish(.truncated(at: 0)) }
        while position < bytes.count {
            guard let found = memchr(base + position, 0xFF, bytes.count - position) else { break }
            let at = UnsafeRawPointer(found) - base
            guard at + 1 < bytes.count else { break }
            switch bytes[at + 1] {
            case 0x00, 0xD0...0xD7:
                position = at + 2
            case 0xFF:
                position = at + 1
            default:
                position = at
                return .scan(start..<at)
            }
        }
        position = bytes.count
        return .scan(start..<bytes.count)
    }
}
