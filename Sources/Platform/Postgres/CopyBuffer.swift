/// The rows of a `COPY ... FROM STDIN` that have been produced and not yet sent.
package struct CopyBuffer: ~Copyable {
    private(set) var bytes: [UInt8] = []

    /// How many bytes are collected before they are sent.
    static let chunkSize = 1 << 16

    init() { bytes.reserveCapacity(Self.chunkSize + 4096) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends one row in `COPY`'s text format, the default format of the statement; nil is NULL.
    ///
    /// The values are those of the statement's columns, in order. Throws `encoding`, naming the position of a value
    /// that cannot be sent; then the row is not appended.
    /// Source: PostgreSQL documentation, COPY, "Text Format".
    package mutating func append<each Value: PostgresEncodable>(_ value: repeat each Value)
        throws(PostgresError)
    {
        let start = bytes.count
        var position = 0
        do {
            for value in repeat each value {
                position += 1
                if position > 1 { bytes.append(UInt8(ascii: "\t")) }
                if let text = try value.postgresText {
                    try append(escaping: text)
                } else {
                    bytes += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
                }
            }
        } catch {
            bytes.removeSubrange(start...)
            var failure = error as? PostgresError ?? PostgresError(.encoding, "\(error)")
            failure.message = "value \(position) of the row: \(failure.message)"
            throw failure
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends bytes as they are: whole or partial rows that are already in the statement's format.
    package mutating func append(formatted: some Sequence<UInt8>) { bytes += formatted }

    private mutating func append(escaping text: String) throws(PostgresError) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case 0:
                throw PostgresError(
                    .encoding, "it has a NUL character, which PostgreSQL cannot store in text")
            default: bytes.append(byte)
            }
        }
    }
}
