/// A value of an EXIF entry as cameras and programs write it.
struct WrittenValue: Sendable {
    let type: UInt16
    let count: Int
    /// In the order of little-endian numbers.
    let bytes: [UInt8]
    let name: String
    /// The degrees that are meant, where exiftool reads others: it adds minutes to negative degrees, reads nothing where minutes
    /// or seconds are 0/0, and takes the numerators of fractions.
    var degrees: Double?
    /// Whether exiftool reads degrees though none are there for sure, as with minutes of 75.
    var isUnclear = false

    /// That of a letter in the text itself.
    var sign: Double? { name.hasSuffix("N”") ? 1 : nil }

    private static func numbers<Number: FixedWidthInteger>(
        _ type: UInt16, _ numbers: [Number], count: Int, degrees: Double? = nil
    ) -> Self {
        Self(
            type: type, count: count,
            bytes: numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } },
            name: "type \(type), \(count): \(numbers)", degrees: degrees)
    }

    private static func floats(_ numbers: [Double], degrees: Double? = nil) -> [Self] {
        [
            .numbers(11, numbers.map { Float($0).bitPattern }, count: numbers.count, degrees: degrees),
            .numbers(12, numbers.map(\.bitPattern), count: numbers.count, degrees: degrees),
        ]
    }

    private static func rationals(_ pairs: [(UInt32, UInt32)]) -> Self {
        let numbers = pairs.map { $0.1 == 0 ? nil : Double($0.0) / Double($0.1) }
        let areGiven = zip(pairs, numbers).dropFirst().allSatisfy { $1 != nil || $0 == (0, 0) }
        let hasNone = pairs.dropFirst().contains { $0 == (0, 0) }
        let sum = zip(numbers, [1.0, 60, 3600]).reduce(0) { $0 + ($1.0 ?? 0) / $1.1 }
        var value = Self.numbers(
            5, pairs.flatMap { [$0.0, $0.1] }, count: pairs.count,
            degrees: hasNone && areGiven && numbers[0] != nil && sum <= 90 ? sum : nil)
        value.isUnclear = numbers.indices.dropFirst().prefix(2).contains { at in
            // All of the next larger units may be written in these.
            let most =
                numbers[at - 1] ?? 0 != 0 ? 60.01 : at == 2 && numbers[0] ?? 0 != 0 ? 3600.01 : .infinity
            return numbers[at] ?? 0 > most
        }
        return value
    }

    static func text(_ text: String, degrees: Double? = nil, isUnclear: Bool = false) -> Self {
        let bytes = Array(text.utf8) + [0]
        return Self(
            type: 2, count: bytes.count, bytes: bytes, name: "“\(text)”", degrees: degrees,
            isUnclear: isUnclear)
    }

    /// Latitudes as one to four rational numbers.
    static let rationals: [Self] = {
        let degrees: [(UInt32, UInt32)] = [
            (46, 1), (0, 1), (90, 1), (91, 1), (93, 2), (46_508_333, 1_000_000), (0, 0), (46, 0), (.max, 1),
            (1, .max),
        ]
        let smaller: [(UInt32, UInt32)] = [
            (0, 1), (30, 1), (60, 1), (61, 1), (599_999, 10_000), (0, 0), (7, 0), (.max, 1), (.max, .max),
            (305, 10),
        ]
        var all: [Self] = degrees.map { .rationals([$0]) }
        for first in degrees {
            for second in smaller {
                all.append(.rationals([first, second]))
                for third in smaller { all.append(.rationals([first, second, third])) }
            }
        }
        return all + [.rationals([(46, 1), (30, 1), (0, 1), (9, 1)])]
    }()

    /// Latitudes of other types.
    static let others: [Self] =
        [
            .numbers(1, [46, 30, 15] as [UInt8], count: 3), .numbers(1, [46] as [UInt8], count: 1),
            .numbers(3, [46, 30, 15] as [UInt16], count: 3), .numbers(4, [46, 30, 15] as [UInt32], count: 3),
            .numbers(6, [46, 30, 15] as [Int8], count: 3), .numbers(7, [46, 30, 15] as [UInt8], count: 3),
            .numbers(8, [46, 30, 15] as [Int16], count: 3), .numbers(9, [46, 30, 15] as [Int32], count: 3),
            .numbers(9, [-46, 30, 15] as [Int32], count: 3, degrees: -46.504_166_667),
            .numbers(9, [-46] as [Int32], count: 1, degrees: -46),
            .numbers(10, [46, 1, 30, 1, 15, 1] as [Int32], count: 3),
            .numbers(10, [-46, 1, 30, 1, 15, 1] as [Int32], count: 3, degrees: -46.504_166_667),
            .numbers(10, [-465, 10] as [Int32], count: 1, degrees: -46.5),
        ] + floats([46, 30, 15]) + floats([46.5]) + floats([-46.5], degrees: -46.5) + floats([.nan])
        + floats([.infinity]) + [
            .text("46,30,15"), .text("46, 30, 15"), .text("46 30 15"), .text("46.5"), .text("46,30.25"),
            .text("46"),
            .text("46.5N"), .text("46° 30' 15\""), .text("46 deg 30' 15.00\""), .text("46,30,15N"),
            .text("46;30;15"), .text(""),
            .text("unknown"), .text("-46.5", degrees: -46.5), .text("46/1 30/1 15/1", isUnclear: true),
        ]

    /// North or south, each with its sign; nil if it says neither.
    static let letters: [(value: Self, sign: Double?)] = [
        (.text("N"), 1), (.text("S"), -1), (.text("n"), 1), (.text("s"), -1), (.text(" S"), -1),
        (.text("North"), 1),
        (.text("South"), -1), (.text(""), nil), (.text("E"), nil), (.text("+"), nil), (.text("-"), nil),
        (.text("N\0S"), 1),
        (.numbers(1, [0x53, 0] as [UInt8], count: 2), -1), (.numbers(7, [0x53, 0] as [UInt8], count: 2), -1),
        (.numbers(1, [0x53] as [UInt8], count: 1), -1), (.numbers(3, [0x53] as [UInt16], count: 1), nil),
        (.numbers(2, [0x53] as [UInt8], count: 1), -1), (.numbers(2, [0x53, 0x20] as [UInt8], count: 2), -1),
        (.numbers(2, [0x53, 0x20, 0x20, 0] as [UInt8], count: 4), -1),
    ]
}
