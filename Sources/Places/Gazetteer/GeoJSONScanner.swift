/// Reads the polygons of a GeoJSON feature collection (RFC 7946) from memory, without building a tree.
///
/// Rings of all depths are kept flat: a region is what an odd number of its rings encloses, so holes
/// and parts need no structure. Geometries other than polygons, and unknown members, are skipped.
struct GeoJSONScanner {
    struct Feature {
        /// The properties that are texts, by lower-case name: sources differ only in case.
        var properties: [String: String] = [:]
        /// Alternating longitudes and latitudes, in `IndexFormat.degreeScale`.
        var rings: [[Int32]] = []
    }

    let file: MappedFile
    private var offset = 0
    private var nesting = 0
    /// The number of the current feature, from 1.
    private var featureNumber = 0

    init(_ file: MappedFile) {
        self.file = file
        if file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// Calls back for every feature of the collection.
    mutating func forEachFeature(_ body: (Feature) throws(GazetteerError) -> Void) throws(GazetteerError) {
        var found = false
        try object { scanner, key throws(GazetteerError) in
            guard key == "features" else { return try scanner.skipValue() }
            found = true
            try scanner.array { scanner throws(GazetteerError) in
                var feature = Feature()
                scanner.featureNumber += 1
                try scanner.object { scanner, key throws(GazetteerError) in
                    switch key {
                    case "properties": feature.properties = try scanner.properties()
                    case "geometry": feature.rings = try scanner.geometry()
                    default: try scanner.skipValue()
                    }
                }
                try body(feature)
            }
        }
        guard found else { throw failure("has no “features”; give a GeoJSON feature collection") }
    }

    private mutating func properties() throws(GazetteerError) -> [String: String] {
        var properties: [String: String] = [:]
        try objectOrNull { scanner, key throws(GazetteerError) in
            if scanner.peek() == 0x22 {
                properties[key.lowercased()] = try scanner.string()
            } else {
                try scanner.skipValue()
            }
        }
        return properties
    }

    private mutating func geometry() throws(GazetteerError) -> [[Int32]] {
        var rings: [[Int32]] = []
        try objectOrNull { scanner, key throws(GazetteerError) in
            guard key == "coordinates" else { return try scanner.skipValue() }
            var ring: [Int32] = []
            try scanner.coordinates(&ring, &rings)
        }
        return rings
    }

    /// Reads nested arrays: an array of numbers is a point, an array of points is a ring.
    private mutating func coordinates(_ ring: inout [Int32], _ rings: inout [[Int32]]) throws(GazetteerError)
    {
        try enter()
        defer { nesting -= 1 }
        try expect(0x5B)
        // An empty array stands for no geometry (RFC 7946, section 3.1).
        if accept(0x5D) { return }
        guard peek() == 0x5B else { return try point(&ring) }
        let isRing = isArrayOfPoints()
        repeat { try coordinates(&ring, &rings) } while accept(0x2C)
        try expect(0x5D)
        if isRing {
            if ring.count >= 6 { rings.append(ring) }
            ring.removeAll(keepingCapacity: true)
        }
    }

    /// Whether the current array begins with an array of numbers.
    private func isArrayOfPoints() -> Bool {
        var copy = self
        return copy.accept(0x5B) && copy.peek() != 0x5B
    }

    private mutating func point(_ ring: inout [Int32]) throws(GazetteerError) {
        let longitude = try degrees(limit: 180)
        try expect(0x2C)
        let latitude = try degrees(limit: 90)
        while accept(0x2C) { _ = try number() }
        try expect(0x5D)
        ring.append(longitude)
        ring.append(latitude)
    }

    private mutating func degrees(limit: Double) throws(GazetteerError) -> Int32 {
        if let value = plainDegrees(limit: Int32(limit)) { return value }
        let value = try number()
        // Natural Earth exceeds 180 by rounding errors.
        guard abs(value) <= limit + 1e-6 else {
            throw failure("\(value) is outside ±\(Int(limit)) degrees")
        }
        return Int32((min(max(value, -limit), limit) * IndexFormat.degreeScale).rounded())
    }

    /// Reads a plain decimal well within the limit, as nearly all are; nil leaves it to `number`.
    private mutating func plainDegrees(limit: Int32) -> Int32? {
        skipSpace()
        let bytes = file.bytes
        var index = offset
        let isNegative = index < bytes.count && bytes[index] == 0x2D
        if isNegative { index &+= 1 }
        var value = 0
        var digits = 0
        var fraction = -1
        scan: while index < bytes.count {
            switch bytes[index] {
            case 0x30...0x39:
                digits &+= 1
                if fraction >= 0 { fraction &+= 1 }
                guard digits <= 17 else { return nil }
                value = value &* 10 &+ Int(bytes[index] &- 0x30)
            case 0x2E:
                guard fraction < 0, digits > 0 else { return nil }
                fraction = 0
            case 0x2B, 0x2D, 0x45, 0x65: return nil
            default: break scan
            }
            index &+= 1
        }
        guard digits > 0, fraction != 0 else { return nil }
        var scale = 7 - max(fraction, 0)
        while scale > 0 {
            value = value &* 10
            scale -= 1
        }
        var divisor = 1
        while scale < 0 {
            divisor *= 10
            scale += 1
        }
        value = (value &+ divisor / 2) / divisor
        guard value >= 0, value <= Int(limit) * Int(IndexFormat.degreeScale) else { return nil }
        offset = index
        return Int32(isNegative ? -value : value)
    }

    private mutating func number() throws(GazetteerError) -> Double {
        skipSpace()
        let start = offset
        while offset < file.bytes.count, Self.isNumeric(file.bytes[offset]) { offset += 1 }
        let text = UnsafeRawBufferPointer(rebasing: file.bytes[start..<offset])
        guard text.count < 64, let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite
        else {
            offset = start
            throw failure("a number was expected here")
        }
        return value
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
        default: false
        }
    }
}

// MARK: JSON

extension GeoJSONScanner {
    /// Line and column (in bytes) of the current offset, both from 1.
    private var position: (line: Int, column: Int) {
        let before = file.bytes[..<min(offset, file.bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return (before.count { $0 == 0x0A } + 1, before.count - lineStart + 1)
    }

    private func failure(_ message: String) -> GazetteerError {
        let position = position
        return GazetteerError(
            .malformedInput, file: file.path, line: position.line, column: position.column,
            message: featureNumber > 0 ? "\(message) (in feature \(featureNumber))" : message)
    }

    private mutating func skipSpace() {
        while offset < file.bytes.count {
            switch file.bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset &+= 1
            default: return
            }
        }
    }

    private mutating func peek() -> UInt8? {
        skipSpace()
        return offset < file.bytes.count ? file.bytes[offset] : nil
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(GazetteerError) {
        guard accept(byte) else {
            throw failure("“\(Unicode.Scalar(byte))” was expected here; the file is not valid GeoJSON")
        }
    }

    /// Bounds the depth, so that hostile nesting cannot exhaust the stack.
    private mutating func enter() throws(GazetteerError) {
        nesting += 1
        guard nesting <= 64 else { throw failure("is nested deeper than 64 levels") }
    }

    private mutating func objectOrNull(
        _ body: (inout Self, String) throws(GazetteerError) -> Void
    ) throws(GazetteerError) {
        if peek() == 0x6E { return try skipValue() }
        try object(body)
    }

    private mutating func object(
        _ body: (inout Self, String) throws(GazetteerError) -> Void
    ) throws(GazetteerError) {
        try enter()
        defer { nesting -= 1 }
        try expect(0x7B)
        if accept(0x7D) { return }
        repeat {
            let key = try string()
            try expect(0x3A)
            try body(&self, key)
        } while accept(0x2C)
        try expect(0x7D)
    }

    private mutating func array(_ body: (inout Self) throws(GazetteerError) -> Void) throws(GazetteerError) {
        try enter()
        defer { nesting -= 1 }
        try expect(0x5B)
        if accept(0x5D) { return }
        repeat { try body(&self) } while accept(0x2C)
        try expect(0x5D)
    }

    private mutating func skipValue() throws(GazetteerError) {
        switch peek() {
        case 0x7B: try object { scanner, _ throws(GazetteerError) in try scanner.skipValue() }
        case 0x5B: try array { scanner throws(GazetteerError) in try scanner.skipValue() }
        case 0x22: _ = try string()
        case .some(let byte) where byte == 0x2D || (0x30...0x39).contains(byte): _ = try number()
        default:
            guard
                let word = ["true", "false", "null"].first(where: {
                    file.bytes[offset...].starts(with: $0.utf8)
                })
            else { throw failure("a value was expected here") }
            offset += word.utf8.count
        }
    }

    /// A text as it stands, without decoding escapes: the codes and names that matter have none.
    private mutating func string() throws(GazetteerError) -> String {
        try expect(0x22)
        let start = offset
        while offset < file.bytes.count, file.bytes[offset] != 0x22 {
            offset += file.bytes[offset] == 0x5C ? 2 : 1
        }
        guard offset < file.bytes.count else { throw failure("this text is not closed") }
        let raw = UnsafeRawBufferPointer(rebasing: file.bytes[start..<offset])
        offset += 1
        return String(decoding: raw, as: UTF8.self)
    }
}
