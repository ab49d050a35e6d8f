/// Reduces a name to its look-up key: without case, diacritics and punctuation.
///
/// Latin, Greek, Cyrillic and Arabic letters lose their marks (Unicode's "X WITH ..." folds to X),
/// so "Zürich", "ZURICH" and "zu\u{308}rich" share a key. Letters that are also spelt with two
/// letters become those two (ß → ss, æ → ae). Kana keep their voicing marks and Indic scripts their
/// vowel signs, because there they distinguish words. Full-width ASCII becomes ASCII. Apostrophes and
/// full stops vanish ("St. John's" → "st johns"); other punctuation becomes one space.
enum NameFolding {
    /// Part of the file format: a change of any rule needs a new number.
    static let version: UInt32 = 1

    private enum Action {
        static let separator: UInt32 = 0x20
        static let drop: UInt32 = 0
    }

    /// What each scalar below U+2000 becomes: another scalar, a space, or 0 for nothing.
    private static let table: [UInt32] = makeTable()

    /// Letters that Unicode does not name as a base letter with a mark.
    private static let special: [UInt32: UInt32] = [
        0x0131: 0x69, 0x00F0: 0x64, 0x0451: 0x0435, 0x0439: 0x0438, 0x0457: 0x0456, 0x045E: 0x0443,
        0x0453: 0x0433, 0x045C: 0x043A, 0x03C2: 0x03C3, 0x0640: 0, 0x002E: 0, 0x00AD: 0,
    ].merging(apostrophes.map { ($0, UInt32(0)) }) { $1 }

    /// They vanish, as part of a word: "Farg'ona", "Xi’an".
    static let apostrophes: Set<UInt32> = [
        0x0027, 0x0060, 0x00B4, 0x02B9, 0x02BB, 0x02BC, 0x02BE, 0x02BF, 0x2018, 0x2019, 0xFF07,
    ]

    private static let pairs: [UInt32: (UInt8, UInt8)] = [
        0x00DF: (0x73, 0x73), 0x1E9E: (0x73, 0x73), 0x00E6: (0x61, 0x65), 0x0153: (0x6F, 0x65),
        0x00FE: (0x74, 0x68), 0x0133: (0x69, 0x6A),
    ]

    static func key(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &output) }
        return output
    }

    /// Appends the key of a UTF-8 text; invalid UTF-8 is folded as U+FFFD.
    static func append(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        let start = output.count
        table.withUnsafeBufferPointer { table in
            if text.allSatisfy({ $0 < 0x80 }) {
                for byte in text { append(table[Int(byte)], to: &output, from: start) }
            } else {
                for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
                    fold(scalar.value, table, &output, start)
                }
            }
        }
        if output.count > start, output.last == 0x20 { output.removeLast() }
    }

    private static func fold(
        _ scalar: UInt32, _ table: UnsafeBufferPointer<UInt32>, _ output: inout [UInt8], _ start: Int
    ) {
        switch scalar {
        case 0..<0x2000:
            let folded = table[Int(scalar)]
            if let pair = pairs[folded], folded >= 0x80 {
                output.append(pair.0)
                output.append(pair.1)
            } else {
                append(folded, to: &output, from: start)
            }
        case 0x2018, 0x2019, 0x200B...0x200F, 0xFEFF: break
        case 0xFF01...0xFF5E: append(table[Int(scalar - 0xFEE0)], to: &output, from: start)
        case 0x3099, 0x309A: voice(by: scalar - 0x3098, &output, start)
        default:
            let general = Unicode.Scalar(scalar)?.properties.generalCategory ?? .unassigned
            append(isSeparator(general) ? Action.separator : scalar, to: &output, from: start)
        }
    }

    /// Composes a kana with the voicing mark after it: their code points are neighbours.
    private static func voice(by step: UInt32, _ output: inout [UInt8], _ start: Int) {
        guard output.count >= start + 3, output[output.count - 3] == 0xE3 else { return }
        let low = UInt32(output[output.count - 2] & 0x3F) << 6 | UInt32(output[output.count - 1] & 0x3F)
        output.removeLast(3)
        append(0x3000 + low + step, to: &output, from: start)
    }

    @inline(__always)
    private static func append(_ scalar: UInt32, to output: inout [UInt8], from start: Int) {
        switch scalar {
        case 0: break
        case 0x20:
            if output.count > start, output[output.count - 1] != 0x20 { output.append(0x20) }
        case 1..<0x80: output.append(UInt8(scalar))
        default:
            if let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) {
                output.append(contentsOf: encoded)
            }
        }
    }

    private static func isSeparator(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .dashPunctuation, .openPunctuation,
            .closePunctuation, .initialPunctuation, .finalPunctuation, .connectorPunctuation,
            .otherPunctuation, .control, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            true
        default: false
        }
    }

    /// Blocks whose letters lose their marks: Latin, Greek, Cyrillic, Arabic.
    private static let markedBlocks: [ClosedRange<UInt32>] = [
        0x0041...0x024F, 0x0370...0x052F, 0x0600...0x06FF, 0x1E00...0x1FFF,
    ]

    private static func makeTable() -> [UInt32] {
        var names: [UInt32: String] = [:]
        var bases: [String: UInt32] = [:]
        for value in markedBlocks.joined() {
            guard let name = Unicode.Scalar(value)?.properties.name else { continue }
            names[value] = name
            if !name.contains(" WITH ") { bases[name] = value }
        }
        return (0..<UInt32(0x2000)).map { value in
            guard let scalar = Unicode.Scalar(value) else { return Action.separator }
            if let folded = special[value] { return folded }
            let lower = lowercased(scalar)
            if let folded = special[lower.value] { return folded }
            let properties = lower.properties
            if properties.generalCategory == .nonspacingMark {
                return isVowelOrVoicing(properties.canonicalCombiningClass) ? lower.value : Action.drop
            }
            if isSeparator(properties.generalCategory) { return Action.separator }
            guard let name = names[lower.value], let base = name.split(separator: " WITH ").first,
                base.count < name.count
            else { return lower.value }
            return bases[String(base)] ?? lower.value
        }
    }

    /// The lower case of a scalar as a single scalar, without its combining marks.
    private static func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    }

    /// Spacing-like marks: not reordered (0), nukta (7), kana voicing (8), virama (9).
    private static func isVowelOrVoicing(_ combiningClass: Unicode.CanonicalCombiningClass) -> Bool {
        [0, 7, 8, 9].contains(combiningClass.rawValue)
    }
}
