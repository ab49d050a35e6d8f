/// A latitude or longitude as a text: `26,34.951N` (XMP specification part 2, GPSCoordinate), or in other forms that programs write:
/// `26.5825N`, `-26.5825`, `26;34;57.06`, `26° 34' 57.06" N`.
struct CoordinateText {
    /// Degrees, minutes and seconds as far as they are there; nil for what is no decimal number, such as a fraction. Empty if the text
    /// is no single coordinate.
    let numbers: [Double?]
    /// Whether a sign stands before a number.
    let isSigned: Bool
    /// N, S, E or W, if the text says so at its end.
    let letter: Character?

    private static let directions: [String: Character] = [
        "n": "N", "north": "N", "s": "S", "south": "S", "e": "E", "east": "E", "w": "W", "west": "W",
    ]
    private static let units: Set<String> = [
        "d", "deg", "degree", "degrees", "m", "min", "minute", "minutes", "sec", "second", "seconds",
    ]

    init(_ text: some StringProtocol) {
        let text = String(text.prefix(128)).replacing("\u{2212}", with: "-").replacing("\u{2013}", with: "-")
            .replacing("\u{066B}", with: ".")
        var numbers: [Double?] = []
        var letter: Character?
        var isOne = true
        // Digits of other scripts belong to a number, which then is none. A letter such as º is a mark of degrees.
        for part in text.split(whereSeparator: {
            !($0.isNumber || $0.isASCII && $0.isLetter || "+-./".contains($0))
        }) {
            // The word may follow the number without a space.
            let word = part.suffix(while: \.isLetter)
            let digits = part.dropLast(word.count)
            if !digits.isEmpty {
                isOne = isOne && letter == nil
                numbers.append(digits.contains { $0.isLetter } ? nil : Double(digits))
            }
            // Behind two other numbers, "57s" are seconds.
            if word.isEmpty || Self.units.contains(word.lowercased()) || word == "s" && numbers.count == 3 {
                continue
            }
            let direction = Self.directions[word.lowercased()]
            isOne = isOne && letter == nil && direction != nil
            letter = direction
        }
        self.numbers = isOne && numbers.count <= 3 ? numbers : []
        isSigned = text.contains { $0 == "+" || $0 == "-" }
        self.letter = letter
    }

    /// The sum of degrees, minutes and seconds, with the degrees' sign, or that of all. Nil if one of them is no number; infinite
    /// if minutes or seconds are out of range: more than 60, which is a carry, give or take its rounding, unless they stand for
    /// larger units that are 0.
    static func degrees(_ numbers: [Double?]) -> Double? {
        let parts = numbers.prefix(3).compactMap { $0 }
        guard let degrees = parts.first, parts.count == min(numbers.count, 3) else { return nil }
        let isNegative = degrees.sign == .minus || degrees == 0 && parts.contains { $0 < 0 }
        let fractions = parts.dropFirst().map { isNegative && $0 < 0 ? -$0 : $0 }
        var most = degrees == 0 ? 10_800.0 : 60
        for fraction in fractions {
            guard 0...(most + 0.01) ~= fraction else { return .infinity }
            most = fraction == 0 ? most * 60 : 60
        }
        let value = abs(degrees) + zip(fractions, [60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
        return isNegative ? -value : value
    }
}

extension StringProtocol {
    /// The characters at the end that meet a condition.
    fileprivate func suffix(while condition: (Character) -> Bool) -> SubSequence {
        self[(lastIndex { !condition($0) }.map { index(after: $0) } ?? startIndex)...]
    }
}
