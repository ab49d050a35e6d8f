import CommandSupport
import Gazetteer

/// Splits bytes into lines and reads a coordinate from each.
struct CoordinateLines {
    /// Lines read so far.
    private(set) var line = 0
    private var rest: [UInt8] = []

    /// Bytes; far more than any line of coordinates has.
    private static let longestLine = 1 << 16

    mutating func take(
        _ bytes: ArraySlice<UInt8>, isLast: Bool, _ body: (Coordinate) -> Void
    ) throws {
        rest += bytes
        var start = 0
        while let end = rest[start...].firstIndex(of: 0x0A) {
            body(try coordinate(rest[start..<end]))
            start = end + 1
        }
        rest.removeFirst(start)
        guard rest.count <= Self.longestLine else {
            line += 1
            throw failure(
                1, "the line is longer than \(Self.longestLine) bytes; write lat<TAB>lon, in degrees")
        }
        if isLast, !rest.isEmpty {
            body(try coordinate(rest[...]))
            rest = []
        }
    }

    private mutating func coordinate(_ bytes: ArraySlice<UInt8>) throws -> Coordinate {
        line += 1
        let text = String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
        let fields = text.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count >= 2 else {
            throw failure(1, "“\(text.prefix(60))” has no tab; write lat<TAB>lon, in degrees")
        }
        let latitude = try degrees(fields[0], 1, "latitude", 90)
        let longitude = try degrees(fields[1], 2, "longitude", 180)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw failure(1, "“\(text.prefix(60))” is not a coordinate")
        }
        return coordinate
    }

    private func degrees(_ field: Substring, _ column: Int, _ name: String, _ limit: Double) throws -> Double
    {
        guard let value = Double(field), abs(value) <= limit else {
            throw failure(
                column, "the \(name) “\(field.prefix(60))” is not a number of degrees in ±\(Int(limit))")
        }
        return value
    }

    private func failure(_ column: Int, _ message: String) -> CommandError {
        CommandError("standard input:\(line):\(column): \(message)")
    }
}
