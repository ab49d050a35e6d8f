import ChildProcess
import FoundationEssentials

/// The photos of a storm: pictures made by code, each of different bytes, others from a folder, and uploads that must be
/// rejected.
struct PhotoStock: Sendable {
    /// JPEGs of a folder.
    let found: [[UInt8]]

    /// - Parameter folder: nil for pictures made by code alone. Of its JPEGs only those are taken that `darkroom inspect`
    ///   accepts: the others have nothing to do with faults.
    init(folder: String?, _ site: StormSite) async throws {
        guard let folder else {
            found = []
            return
        }
        struct Inspection: Decodable {
            let file: String
            let verdict: String
        }
        let paths = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
            "\(folder)/\($0)"
        }
        let output = try await site.command(["inspect", "--json"] + paths.filter(Self.isSmallJPEG)).run()
        found = try output.standardOutput.split(separator: "\n")
            .map { try JSONDecoder().decode(Inspection.self, from: Data($0.utf8)) }
            .filter { $0.verdict == "accepted" }
            .compactMap { FileManager.default.contents(atPath: $0.file).map { [UInt8]($0) } }
        guard !found.isEmpty else { throw ChaosError("\(folder) has no good JPEG of less than 8 MB") }
    }

    private static func isSmallJPEG(_ path: String) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: path) else { return false }
        return bytes.starts(with: [0xFF, 0xD8, 0xFF]) && bytes.count < 8 << 20
    }

    enum Kind: CaseIterable, Sendable {
        case made, found
        case empty, text, drawing, cut, nowhere, unknownPlace, missing, wrongSize, wrongHash

        static let bad: [Kind] = [
            .empty, .text, .drawing, .cut, .nowhere, .unknownPlace, .missing, .wrongSize, .wrongHash,
        ]

        var expectation: StormLedger.Expectation {
            switch self {
            case .made, .found: .published
            case .empty: .rejected(reasons: ["empty_file"])
            case .text: .rejected(reasons: ["not_an_image"])
            case .drawing: .rejected(reasons: ["unsupported_format", "not_an_image"])
            case .cut: .rejected(reasons: ["truncated", "corrupt"])
            case .nowhere: .rejected(reasons: ["no_location"])
            case .unknownPlace: .rejected(reasons: ["place_unknown"])
            case .missing: .rejected(reasons: ["original_missing"])
            case .wrongSize: .rejected(reasons: ["size_mismatch"])
            case .wrongHash: .rejected(reasons: ["hash_mismatch"])
            }
        }
    }

    func bytes(of kind: Kind, number: Int) -> [UInt8] {
        switch kind {
        case .empty: []
        case .text: Array("This is no photo, whatever its name says: \(number).\n".utf8)
        case .drawing:
            Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' id='n\(number)'/>".utf8)
        case .cut:
            Array(Self.picture(number).prefix(20_000))
        case .found where !found.isEmpty: Self.marked(found[number % found.count], number)
        default: Self.picture(number)
        }
    }

    /// A JPEG with a comment, which makes its bytes different and its picture no different.
    private static func marked(_ jpeg: [UInt8], _ number: Int) -> [UInt8] {
        let comment = Array("storm \(number)".utf8)
        let segment: [UInt8] = [0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment
        // After the first segment: some readers want theirs to be first.
        let end = 4 + (Int(jpeg[4]) << 8 | Int(jpeg[5]))
        guard end <= jpeg.count else { return jpeg }
        return jpeg[..<end] + segment + jpeg[end...]
    }

    /// A grey PNG of 400 x 300 pixels, uncompressed.
    private static func picture(_ number: Int) -> [UInt8] {
        let (width, height) = (400, 300)
        var random = SeededGenerator(seed: UInt64(number))
        let (shift, step) = (random.below(256), 1 + random.below(5))
        // Every row begins with its filter: none.
        var rows: [UInt8] = []
        rows.reserveCapacity((width + 1) * height)
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width { rows.append(UInt8(truncatingIfNeeded: (x * step + y * 2) / 3 + shift)) }
        }
        // The number as a row of black and white, so that no two pictures are the same.
        for bit in 0..<32 {
            let value: UInt8 = number >> bit & 1 == 1 ? 255 : 0
            for y in 100..<110 { for x in 0..<8 { rows[y * (width + 1) + 1 + bit * 8 + x] = value } }
        }
        var stored: [UInt8] = [0x78, 0x01]
        var start = 0
        while start < rows.count {
            let count = min(65_535, rows.count - start)
            let isLast: UInt8 = start + count == rows.count ? 1 : 0
            let (low, high) = (UInt8(count & 255), UInt8(count >> 8))
            stored += [isLast, low, high, ~low, ~high]
            stored += rows[start..<start + count]
            start += count
        }
        stored += big(adler32(rows))
        let header = big(UInt32(width)) + big(UInt32(height)) + [8, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("IDAT", stored) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        return big(UInt32(data.count)) + content + big(crc32(content))
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        let table = crcTable
        return ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
