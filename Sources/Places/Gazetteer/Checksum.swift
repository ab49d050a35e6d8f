/// CRC-64/XZ: ECMA-182's polynomial reflected, initial value and final XOR all ones.
///
/// It finds every burst of damage up to 64 bits, but does not protect against forgery. Eight tables
/// ("slicing by 8": Kounavis and Berry, 2005) process eight bytes per step.
struct CRC64 {
    private static let tables: [UInt64] = {
        var tables = [UInt64](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var value = UInt64(index)
            for _ in 0..<8 {
                value = value & 1 == 1 ? (value >> 1) ^ 0xC96C_5795_D787_0F42 : value >> 1
            }
            tables[index] = value
        }
        for slice in 1..<8 {
            for index in 0..<256 {
                let previous = tables[(slice - 1) * 256 + index]
                tables[slice * 256 + index] = tables[Int(previous & 0xFF)] ^ (previous >> 8)
            }
        }
        return tables
    }()

    private var state = UInt64.max

    var value: UInt64 { ~state }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = CRC64()
        checksum.update(bytes)
        return checksum.value
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        var crc = state
        Self.tables.withUnsafeBufferPointer { tables in
            var offset = 0
            while offset &+ 8 <= bytes.count {
                let word =
                    crc ^ UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                crc =
                    tables[1792 &+ Int(word & 0xFF)] ^ tables[1536 &+ Int((word >> 8) & 0xFF)]
                    ^ tables[1280 &+ Int((word >> 16) & 0xFF)] ^ tables[1024 &+ Int((word >> 24) & 0xFF)]
                    ^ tables[768 &+ Int((word >> 32) & 0xFF)] ^ tables[512 &+ Int((word >> 40) & 0xFF)]
                    ^ tables[256 &+ Int((word >> 48) & 0xFF)] ^ tables[Int(word >> 56)]
                offset &+= 8
            }
            while offset < bytes.count {
                crc = tables[Int((crc ^ UInt64(bytes[offset])) & 0xFF)] ^ (crc >> 8)
                offset &+= 1
            }
        }
        state = crc
    }
}
