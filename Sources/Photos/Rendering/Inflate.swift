import CZlib

/// The longest text that is inflated from a PNG chunk, in bytes: more than the metadata of a photo may have by default, so
/// that a longer one is refused, not ignored.
private let inflatedLimit = 16 << 20

/// Inflates a zlib stream.
///
/// - Returns: The text, nil if the stream is damaged or inflates to more than the limit, and how many bytes were inflated.
func inflated(_ stream: UnsafeRawBufferPointer) -> (text: [UInt8]?, bytes: Int) {
    guard let start = stream.bindMemory(to: UInt8.self).baseAddress else { return (nil, 0) }
    var status = Z_DATA_ERROR
    // A stream becomes at most 1,032 times as long (zlib, "Technical Details").
    let most = min(inflatedLimit, 1_100 * (stream.count + 1))
    var length = uLongf(most)
    let text = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
        status = uncompress(buffer.baseAddress, &length, start, uLong(stream.count))
        count = status == Z_OK ? Int(length) : 0
    }
    return (status == Z_OK ? text : nil, Int(length))
}

/// The CRC of a PNG's chunk (PNG specification, third edition, 5.5), which is that of zlib.
func checksum(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, uInt(bytes.count)))
}
