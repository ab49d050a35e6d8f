import CZlib

extension PhotoFixture {
    /// A PNG with an extra chunk after the header.
    package static func png(chunk name: String, _ payload: [UInt8], in plain: [UInt8] = png()) -> [UInt8] {
        // After the signature and the header.
        plain[..<33] + self.chunk(name, payload) + plain[33...]
    }

    private static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        let body = Array(name.utf8) + payload
        return big(UInt32(payload.count)) + body + big(UInt32(crc32(0, body, uInt(body.count))))
    }

    /// A PNG of 16 × 16 pixels of one colour, with a palette or without one.
    package static func png(of colour: [UInt8], hasPalette: Bool, before chunks: [(String, [UInt8])])
        -> [UInt8]
    {
        let pixel: [UInt8] = hasPalette ? [0] : colour
        let row: [UInt8] = [0] + Array(repeating: pixel, count: 16).flatMap(\.self)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", [0, 0, 0, 16, 0, 0, 0, 16, 8, hasPalette ? 3 : 2, 0, 0, 0])
            + chunks.flatMap { chunk($0.0, $0.1) } + (hasPalette ? chunk("PLTE", colour) : [])
            + chunk("IDAT", deflated(Array(repeating: row, count: 16).flatMap(\.self))) + chunk("IEND", [])
    }

    /// A zlib stream.
    package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(compressBound(uLong(bytes.count)))) { buffer, count in
            var length = uLongf(buffer.count)
            precondition(compress(buffer.baseAddress, &length, bytes, uLong(bytes.count)) == Z_OK)
            count = Int(length)
        }
    }
}
