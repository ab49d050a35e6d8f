/// Builds EXIF blocks for fixtures: valid ones and, through `entries`, broken ones.
package struct PhotoEXIF: Sendable {
    package enum Value: Sendable {
        case ascii(String)
        case short(UInt16)
        case long(UInt32)
        case byte(UInt8)
        case rationals([(UInt32, UInt32)])
        case raw(type: UInt16, count: UInt32, bytes: [UInt8])
    }

    package enum Directory: Sendable { case main, exif, gps }

    private var directories: [Directory: [(tag: UInt16, value: Value)]] = [:]

    package init() {}

    package mutating func set(_ directory: Directory, _ tag: UInt16, _ value: Value) {
        directories[directory, default: []].removeAll { $0.tag == tag }
        directories[directory, default: []].append((tag, value))
    }

    package mutating func remove(_ directory: Directory, _ tag: UInt16) {
        directories[directory]?.removeAll { $0.tag == tag }
    }

    package mutating func setPosition(latitude: Double, longitude: Double) {
        set(.gps, 1, .ascii(latitude < 0 ? "S" : "N"))
        set(.gps, 2, .rationals(Self.degrees(latitude)))
        set(.gps, 3, .ascii(longitude < 0 ? "W" : "E"))
        set(.gps, 4, .rationals(Self.degrees(longitude)))
    }

    /// Degrees, minutes and ten-thousandths of seconds.
    private static func degrees(_ value: Double) -> [(UInt32, UInt32)] {
        let units = Int((abs(value) * 36_000_000).rounded())
        return [
            (UInt32(units / 36_000_000), 1), (UInt32(units / 600_000 % 60), 1),
            (UInt32(units % 600_000), 10_000),
        ]
    }

    package var isEmpty: Bool { directories.isEmpty }

    /// The little-endian TIFF block.
    package var block: [UInt8] { block(isBigEndian: false) }

    /// The TIFF block in either byte order. The numbers of `raw` values are given as little-endian ones.
    package func block(isBigEndian: Bool) -> [UInt8] {
        func bytes(_ value: UInt32, _ size: Int) -> [UInt8] { Self.bytes(value, size, isBigEndian) }
        var main = directories[.main] ?? []
        let below: [(UInt16, Directory)] = [(0x8769, .exif), (0x8825, .gps)].filter {
            directories[$0.1] != nil
        }
        for (tag, _) in below { main.append((tag, .long(0))) }
        let all =
            [main.sorted { $0.tag < $1.tag }] + below.map { directories[$0.1]!.sorted { $0.tag < $1.tag } }
        var offsets: [Int] = []
        var end = 8
        for directory in all {
            offsets.append(end)
            end += 6 + 12 * directory.count
        }
        var head = Array((isBigEndian ? "MM" : "II").utf8) + bytes(42, 2) + bytes(8, 4)
        var tail: [UInt8] = []
        for directory in all {
            head += bytes(UInt32(directory.count), 2)
            for (tag, value) in directory {
                var (type, count, payload) = Self.encoded(value, isBigEndian)
                if let index = below.firstIndex(where: { $0.0 == tag }) {
                    payload = bytes(UInt32(offsets[index + 1]), 4)
                }
                head += bytes(UInt32(tag), 2) + bytes(UInt32(type), 2) + bytes(count, 4)
                if payload.count <= 4 {
                    head += payload + [UInt8](repeating: 0, count: 4 - payload.count)
                } else {
                    head += bytes(UInt32(end + tail.count), 4)
                    tail += payload
                }
            }
            head += bytes(0, 4)
        }
        return head + tail
    }

    private static func bytes(_ value: UInt32, _ size: Int, _ isBigEndian: Bool) -> [UInt8] {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        return isBigEndian ? little.reversed() : little
    }

    private static func encoded(
        _ value: Value, _ isBigEndian: Bool
    ) -> (type: UInt16, count: UInt32, payload: [UInt8]) {
        func bytes(_ value: UInt32, _ size: Int) -> [UInt8] { Self.bytes(value, size, isBigEndian) }
        switch value {
        case .ascii(let text):
            let payload = Array(text.utf8) + [0]
            return (2, UInt32(payload.count), payload)
        case .short(let number): return (3, 1, bytes(UInt32(number), 2))
        case .long(let number): return (4, 1, bytes(number, 4))
        case .byte(let number): return (1, 1, [number])
        case .rationals(let pairs):
            return (5, UInt32(pairs.count), pairs.flatMap { bytes($0.0, 4) + bytes($0.1, 4) })
        case .raw(let type, let count, let payload):
            let size = [3: 2, 8: 2, 4: 4, 9: 4, 11: 4, 5: 4, 10: 4, 12: 8][type] ?? 1
            guard isBigEndian, payload.count % size == 0 else { return (type, count, payload) }
            let turned = stride(from: 0, to: payload.count, by: size).flatMap {
                payload[$0..<$0 + size].reversed()
            }
            return (type, count, turned)
        }
    }
}
