import CZlib

/// The longest text that is inflated from a PNG chunk, in bytes.
private let inflatedLimit = 1 << 20

/// Inflates a zlib stream. Returns nil if it is damaged or inflates to more than the limit.
func inflated(_ stream: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let start = stream.bindMemory(to: UInt8.self).baseAddress else { return nil }
    var status = Z_DATA_ERROR
    let text = [UInt8](unsafeUninitializedCapacity: inflatedLimit) { buffer, count in
        var length = uLongf(buffer.count)
        status = uncompress(buffer.baseAddress, &length, start, uLong(stream.count))
        count = status == Z_OK ? Int(length) : 0
    }
    return status == Z_OK ? text : nil
}
