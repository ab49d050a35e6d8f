/// A latitude or longitude as a text: `26,34.951N` (XMP specification part 2, GPSCoordinate), or as programs write it besides:
/// `26.5825N`, `-26.5825`, `26;34;57.06`, `26° 34' 57.06" N`.
struct CoordinateText {
    /// Degrees, minutes and seconds as far as they are there; nil for what is no decimal number, such as a fraction.
    let numbers: [Double?]
    /// Whether a sign stands before the degrees.
    let isSigned: Bool
    /// The first letter of the word at the end, in capitals.
    let letter: Character?

    init(_ text: some StringProtocol) {
        var numbers: [Double?] = []
        var word: Substring = ""
        // Digits of other scripts belong to a number, which then is none. A letter such as º is a mark of degrees.
        let words = text.prefix(128).split {
            !($0.isNumber || $0.isASCII && $0.isLetter || "+-./".contains($0))
        }
        for part in words.prefix(8) {
            // The word may follow the number without a space.
            word = Substring(part.suffix(while: \.isLetter))
            let digits = part.dropLast(word.count)
            if digits.isEmpty { continue }
            numbers.append(digits.contains { $0.isLetter } ? nil : Double(digits))
        }
        self.numbers = numbers
        isSigned = text.contains { $0 == "+" || $0 == "-" }
        letter = word.first?.uppercased().first
    }

    /// The sum of degrees, minutes and seconds, with the degrees' sign. Nil if one of them is no number; infinite if minutes or
    /// seconds are out of range (60 is a carry).
    static func degrees(_ numbers: [Double?]) -> Double? {
        let parts = numbers.prefix(3).compactMap { $0 }
        guard let degrees = parts.first, parts.count == min(numbers.count, 3) else { return nil }
        guard parts.dropFirst().allSatisfy({ 0...60 ~= $0 }) else { return .infinity }
        let value = abs(degrees) + zip(parts.dropFirst(), [60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
        return degrees.sign == .minus ? -value : value
    }
}

extension StringProtocol {
    /// The characters at the end that meet a condition.
    fileprivate func suffix(while condition: (Character) -> Bool) -> SubSequence {
        self[(lastIndex { !condition($0) }.map { index(after: $0) } ?? startIndex)...]
    }
}
