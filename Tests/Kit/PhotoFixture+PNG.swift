import CZlib

extension PhotoFixture {
    /// A PNG with an extra chunk after the header.
    package static func png(chunk name: String, _ payload: [UInt8], in plain: [UInt8] = png()) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        let body = Array(name.utf8) + payload
        let checksum = UInt32(crc32(0, body, uInt(body.count)))
        // After the signature and the header.
        return plain[..<33] + big(UInt32(payload.count)) + body + big(checksum) + plain[33...]
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
