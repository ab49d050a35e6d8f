import Glibc

/// Reads lines of tab-separated fields from a mapped file, without copying.
package struct TableReader {
    let file: MappedFile
    package private(set) var line = 0
    private(set) var offset = 0
    /// The fields of the current line, valid until the next one is read.
    package private(set) var fields: [UnsafeRawBufferPointer] = []

    package init(_ file: MappedFile) {
        self.file = file
        if file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// Moves to the next line that is neither empty nor a comment; false at the end of the file.
    package mutating func next() -> Bool {
        let bytes = file.bytes
        guard let base = bytes.baseAddress else { return false }
        while offset < bytes.count {
            let newline = memchr(base + offset, 0x0A, bytes.count - offset)
            let end = newline.map { UnsafeRawPointer($0) - base } ?? bytes.count
            let start = offset
            offset = end + 1
            line += 1
            let length = end > start && bytes[end - 1] == 0x0D ? end - 1 - start : end - start
            if length == 0 || bytes[start] == 0x23 { continue }
            split(UnsafeRawBufferPointer(start: base + start, count: length))
            return true
        }
        return false
    }

    private mutating func split(_ text: UnsafeRawBufferPointer) {
        fields.removeAll(keepingCapacity: true)
        guard let base = text.baseAddress else { return }
        var start = 0
        while let tab = memchr(base + start, 0x09, text.count - start) {
            let end = UnsafeRawPointer(tab) - base
            fields.append(UnsafeRawBufferPointer(start: base + start, count: end - start))
            start = end + 1
        }
        fields.append(UnsafeRawBufferPointer(start: base + start, count: text.count - start))
    }

    package func requireFields(_ range: ClosedRange<Int>) throws(GazetteerError) {
        guard range.contains(fields.count) else {
            let wanted =
                range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            throw failure(
                at: min(fields.count, range.upperBound + 1) - 1,
                "the line has \(fields.count) tab-separated fields, not \(wanted)")
        }
    }

    package func failure(at field: Int, _ message: String) -> GazetteerError {
        GazetteerError(.malformedInput, file: file.path, line: line, column: field + 1, message: message)
    }

    /// The bytes of a field that must be UTF-8.
    func utf8(_ field: Int, _ name: String) throws(GazetteerError) -> UnsafeRawBufferPointer {
        let bytes = fields[field]
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw failure(at: field, "the \(name) is not UTF-8; convert the file to UTF-8")
        }
        return bytes
    }

    package func text(_ field: Int, _ name: String) throws(GazetteerError) -> String {
        String(decoding: try utf8(field, name), as: UTF8.self)
    }

    /// A whole number 0...UInt32.max - 1; an empty field is 0.
    package func number(_ field: Int, _ name: String) throws(GazetteerError) -> UInt32 {
        var value = 0
        for byte in fields[field] {
            guard (0x30...0x39).contains(byte), value < Int(UInt32.max) else {
                throw failure(at: field, "the \(name) “\(shown(field))” is not a whole number below 2³²")
            }
            value = value * 10 + Int(byte - 0x30)
        }
        guard value < Int(UInt32.max) else {
            throw failure(at: field, "the \(name) “\(shown(field))” is not a whole number below 2³²")
        }
        return UInt32(value)
    }

    /// Degrees within ±limit, as an integer in `IndexFormat.degreeScale`.
    package func degrees(_ field: Int, _ name: String, limit: Double) throws(GazetteerError) -> Int32 {
        guard let value = Double(shown(field)), abs(value) <= limit else {
            throw failure(
                at: field, "the \(name) “\(shown(field))” is not a number of degrees in ±\(Int(limit))")
        }
        return Int32((value * IndexFormat.degreeScale).rounded())
    }

    package func shown(_ field: Int) -> String {
        String(decoding: fields[field], as: UTF8.self)
    }
}
