/// Rows of text in aligned columns.
///
/// Each cell is one line: control characters are replaced, so that a caption cannot steer the terminal.
package struct TextTable: Sendable {
    package enum Alignment: Sendable { case left, right }

    package struct Column: Sendable {
        let name: String
        let alignment: Alignment
        /// Whether its cells are cut only after those of other columns.
        let isKept: Bool

        /// - Parameter isKept: for what the table is read for. Numbers are kept in any case.
        package init(_ name: String, _ alignment: Alignment = .left, isKept: Bool = false) {
            self.name = name
            self.alignment = alignment
            self.isKept = isKept || alignment == .right
        }
    }

    private static let gap = 2
    /// No column is cut narrower than this, even if the table then does not fit.
    private static let narrowest = 3

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(columns: [Column]) { self.columns = columns }

    /// Adds a row; it has one cell for each column.
    package mutating func add(_ row: [String]) {
        precondition(row.count == columns.count, "\(row.count) cells for \(columns.count) columns")
        rows.append(row.map { Terminal.printable($0) })
    }

    /// The header and the rows, without a final newline; empty if there are no rows.
    ///
    /// With a `width` (in terminal columns), cells of the widest columns are cut and end in `…` until the lines fit: first of
    /// columns that are not kept. With nil nothing is cut.
    package func render(width: Int?) -> String {
        guard !rows.isEmpty else { return "" }
        let table = [columns.map { Terminal.printable($0.name) }] + rows
        let widths = columnWidths(of: table, within: width)
        return table.map { row in line(row, widths) }.joined(separator: "\n")
    }

    private func columnWidths(of table: [[String]], within width: Int?) -> [Int] {
        var widths = columns.indices.map { index in table.map { displayWidth($0[index]) }.max() ?? 0 }
        guard let width else { return widths }
        for cut in [columns.indices.filter { !columns[$0].isKept }, Array(columns.indices)] {
            while true {
                let excess = widths.reduce(Self.gap * (widths.count - 1), +) - width
                guard excess > 0, let widest = cut.max(by: { widths[$0] < widths[$1] }) else { break }
                let next = cut.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
                // The widest shrinks to the next widest first, then both in turn.
                let floor = max(Self.narrowest, next < widths[widest] ? next : widths[widest] - 1)
                guard floor < widths[widest] else { break }
                widths[widest] = max(floor, widths[widest] - excess)
            }
        }
        return widths
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        var line = ""
        for index in columns.indices {
            let cell = truncated(row[index], to: widths[index])
            let padding = String(repeating: " ", count: widths[index] - displayWidth(cell))
            let isLast = index == columns.count - 1
            switch columns[index].alignment {
            case .left: line += isLast ? cell : cell + padding
            case .right: line += padding + cell
            }
            if !isLast { line += String(repeating: " ", count: Self.gap) }
        }
        return line
    }
}

/// The text in at most `width` columns, with `…` if something was cut.
func truncated(_ text: String, to width: Int) -> String {
    guard displayWidth(text) > width else { return text }
    guard width > 0 else { return "" }
    var kept = ""
    var used = 0
    for character in text {
        let columns = displayWidth(character)
        if used + columns > width - 1 { break }
        kept.append(character)
        used += columns
    }
    return kept + "…"
}

/// The number of terminal columns that a text without control characters takes.
func displayWidth(_ text: String) -> Int {
    // Fast path: most texts are printable ASCII.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { $0 + displayWidth($1) }
}

/// The columns of one grapheme: 2 for wide ones and emoji, 0 for lone combining marks, otherwise 1.
func displayWidth(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.value < 0x300 { return character.unicodeScalars.contains("\u{FE0F}") ? 2 : 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let isEmoji = first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}")
    return isEmoji || isWide(first.value) ? 2 : 1
}

/// East Asian Width W or F (Unicode Standard Annex 11), by block: unassigned code points in them count as wide too.
private func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
        true
    default: false
    }
}
