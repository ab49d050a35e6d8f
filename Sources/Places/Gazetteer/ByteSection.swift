/// A run of bytes of the mapped file, read so that no value in it can lead outside.
///
/// Whole sections are checked against the file when it is opened. Values inside them (an offset, an index) are
/// checked at each use: anything outside reads as zero or empty, so damage that no checksum has caught gives
/// a wrong name at worst.
struct ByteSection: @unchecked Sendable {
    // Why @unchecked is safe: it points into a read-only mapping whose owner outlives it.
    private let base: UnsafeRawPointer?
    let count: Int

    static let empty = ByteSection(UnsafeRawBufferPointer(start: nil, count: 0))

    init(_ bytes: UnsafeRawBufferPointer) {
        base = bytes.baseAddress
        count = bytes.count
    }

    @inline(__always)
    func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
        guard let base, offset >= 0, offset &+ MemoryLayout<Value>.size <= count else { return 0 }
        return Value(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// Like `integer(at:)`, for bytes that the caller knows to lie within the section.
    @inline(__always)
    func unchecked<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
        assert(offset >= 0 && offset + MemoryLayout<Value>.size <= count)
        return Value(
            littleEndian: base.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// A number of 7 bits per byte, the lowest first; moves the offset behind it.
    @inline(__always)
    func varint(_ offset: inout Int) -> Int {
        var value = 0
        var shift = 0
        while shift <= 28 {
            let byte = Int(integer(at: offset, as: UInt8.self))
            offset &+= 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }

    /// The bytes of a range, or none if it does not lie within the section.
    func bytes(at offset: Int, count length: Int) -> UnsafeRawBufferPointer {
        guard let base, offset >= 0, length > 0, length <= count, offset <= count - length else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: base + offset, count: length)
    }

    func text(at offset: Int, count length: Int) -> String {
        String(decoding: bytes(at: offset, count: length), as: UTF8.self)
    }
}
