import Glibc

/// The dates of header fields, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// - Parameter seconds: since 1970.
    static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        // The names are English: the process never leaves the locale "C".
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress!, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
