/// Reads a range of a rendition from front to back. Anything that does not fit is a fault.
struct StructureCursor {
    typealias Fault = RenditionStructure.Fault

    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    let end: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - position }
    var isAtEnd: Bool { position == end }

    mutating func take(_ count: Int) throws(Fault) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw Fault(.truncated) }
        defer { position += count }
        return position..<position + count
    }

    /// A cursor over a range of the same bytes.
    func part(_ range: Range<Int>) -> StructureCursor { StructureCursor(bytes, range) }

    /// Takes the next `count` bytes and returns a cursor over them.
    mutating func part(_ count: Int) throws(Fault) -> StructureCursor {
        StructureCursor(bytes, try take(count))
    }

    /// An unsigned number of 1 to 7 bytes, most significant first.
    mutating func big(_ count: Int) throws(Fault) -> Int {
        try take(count).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    /// An unsigned number of 1 to 7 bytes, least significant first.
    mutating func little(_ count: Int) throws(Fault) -> Int {
        try take(count).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    /// Four letters, as RIFF and ISO files name their parts.
    mutating func name() throws(Fault) -> String {
        String(decoding: bytes[try take(4)], as: UTF8.self)
    }

    /// Anything other than `expected` is a fault.
    mutating func expect(_ expected: StaticString) throws(Fault) {
        let range = try take(expected.utf8CodeUnitCount)
        let isEqual = expected.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
        guard isEqual else { throw Fault(.malformed) }
    }

    /// Takes `expected` if it comes next.
    mutating func skip(_ expected: StaticString) -> Bool {
        let end = position + expected.utf8CodeUnitCount
        guard end <= self.end, expected.withUTF8Buffer({ $0.elementsEqual(bytes[position..<end]) }) else {
            return false
        }
        position = end
        return true
    }

    /// The next byte, which is not taken.
    func peek() throws(Fault) -> UInt8 {
        guard !isAtEnd else { throw Fault(.truncated) }
        return bytes[position]
    }

    mutating func expectZeros(_ count: Int) throws(Fault) {
        guard bytes[try take(count)].allSatisfy({ $0 == 0 }) else { throw Fault(.malformed) }
    }

    /// Bytes that are left over are a fault.
    func expectEnd() throws(Fault) {
        guard isAtEnd else { throw Fault(.hiddenBytes(remaining)) }
    }
}
