package import FoundationEssentials

/// The arguments a command was given, checked as they are read.
///
/// Asking for a name that the command does not declare, or declares as another kind, is a programming error and
/// traps. A value that a person got wrong throws `UsageError`.
package struct ParsedArguments: Sendable {
    /// `label` is what messages call the value: `--lat`, `LAT` or the variable it came from.
    enum Value: Sendable {
        case flag(Bool)
        case text(String?, label: String)
        case list([String], label: String)
    }

    let values: [String: Value]

    /// Whether a flag was given.
    package func flag(_ name: String) -> Bool {
        guard case .flag(let isGiven)? = values[name] else {
            preconditionFailure("\(name) is not declared as a flag")
        }
        return isGiven
    }

    /// The text of a value option or a positional; nil if there is no argument, no variable and no default.
    package func string(_ name: String) -> String? { text(name).value }

    /// The text of an option that selects something; nil if it is not given.
    ///
    /// - Throws: `UsageError` if it is empty, as from a variable of a script that is not set: an empty text is part of every text.
    package func selection(_ name: String) throws -> String? {
        let (value, label) = text(name)
        if value?.isEmpty == true { throw UsageError("\(label) is empty; leave it out to select all") }
        return value
    }

    /// The texts of a repeated option or of the rest, in the order given.
    package func strings(_ name: String) -> [String] { list(name).values }

    /// A whole decimal number in `range`.
    package func int(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        try parsed(name) { text, label in
            guard let number = Int(text) else {
                let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
                let isWhole = !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
                throw UsageError(
                    isWhole
                        ? "\(label) \(shown(text)) is outside \(range.lowerBound) to \(range.upperBound)"
                        : "\(label) \(shown(text)) is not a whole number\(Self.accepted(range))")
            }
            guard range.contains(number) else {
                throw UsageError(
                    "\(label) \(shown(text)) is outside \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// A finite decimal number in `range`; the decimal separator is a point.
    package func double(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        try parsed(name) { text, label in
            // Swift also parses "nan", "inf" and hexadecimal, which nobody means on a command line.
            let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
            guard isDecimal, let number = Double(text) else {
                let hint = text.contains(",") ? "; write the decimal separator as a point" : ""
                throw UsageError("\(label) \(shown(text)) is not a number\(hint)")
            }
            guard number.isFinite, range.contains(number) else {
                throw UsageError(
                    "\(label) \(shown(text)) is outside \(plain(range.lowerBound)) to \(plain(range.upperBound))"
                )
            }
            return number
        }
    }

    /// One of the raw values of `type`, spelled exactly.
    package func choice<E: RawRepresentable & CaseIterable>(_ name: String, of type: E.Type) throws -> E?
    where E.RawValue == String {
        try choice(name, among: type.allCases)
    }

    /// One of the raw values of `known`, spelled exactly.
    package func choice<E: RawRepresentable>(_ name: String, among known: some Collection<E>) throws -> E?
    where E.RawValue == String {
        try parsed(name) { try Self.choice($0, $1, known) }
    }

    /// Each value of a repeated option as one of the raw values of `type`.
    package func choices<E: RawRepresentable & CaseIterable>(_ name: String, of type: E.Type) throws -> [E]
    where E.RawValue == String {
        try choices(name, among: type.allCases)
    }

    /// Each value of a repeated option as one of the raw values of `known`.
    package func choices<E: RawRepresentable>(_ name: String, among known: some Collection<E>) throws -> [E]
    where E.RawValue == String {
        let (values, label) = list(name)
        return try values.map { try Self.choice($0, label, known) }
    }

    /// A duration: a whole number and one of `ms`, `s`, `m`, `h` and `d` (24 hours), such as `500ms` or `7d`.
    package func duration(_ name: String) throws -> Duration? {
        try parsed(name) { text, label in
            let digits = text.prefix { ("0"..."9").contains($0) }
            let unit = text.dropFirst(digits.count)
            let milliseconds: [Substring: Int64] = [
                "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
            ]
            guard !digits.isEmpty, let factor = milliseconds[unit] else {
                let fault = !digits.isEmpty && unit.isEmpty ? "has no unit" : "is not a duration"
                throw UsageError("\(label) \(shown(text)) \(fault); write it like 500ms, 30s, 5m, 2h or 7d")
            }
            guard let count = Int64(digits),
                case (let total, false) = count.multipliedReportingOverflow(by: factor)
            else { throw UsageError("\(label) \(shown(text)) is too long") }
            return .milliseconds(total)
        }
    }

    /// An ISO 8601 instant with its offset from UTC: `2026-05-01T12:00:00+02:00`, `2026-05-01 12:00Z`.
    ///
    /// Seconds and their fraction are optional. Years run from 0001 to 9999 and offsets to 18 hours.
    package func time(_ name: String) throws -> Date? {
        try parsed(name) { text, label in
            do throws(InstantText.Fault) {
                return try InstantText.date(from: text)
            } catch {
                throw UsageError("\(label) \(shown(text)) \(error.message)")
            }
        }
    }
}

extension ParsedArguments {
    private func text(_ name: String) -> (value: String?, label: String) {
        guard case .text(let value, let label)? = values[name] else {
            preconditionFailure("\(name) is not declared with one value")
        }
        return (value, label)
    }

    private func list(_ name: String) -> (values: [String], label: String) {
        guard case .list(let values, let label)? = values[name] else {
            preconditionFailure("\(name) is not declared with several values")
        }
        return (values, label)
    }

    private func parsed<T>(_ name: String, _ parse: (String, String) throws -> T) throws -> T? {
        let (value, label) = text(name)
        return try value.map { try parse($0, label) }
    }

    private static func choice<E: RawRepresentable>(
        _ text: String, _ label: String, _ known: some Collection<E>
    ) throws -> E where E.RawValue == String {
        if let value = known.first(where: { $0.rawValue == text }) { return value }
        let names = known.map(\.rawValue)
        throw UsageError("\(label) \(shown(text)) is not one of \(names.joined(separator: ", "))")
    }

    private static func accepted(_ range: ClosedRange<Int>) -> String {
        "; give \(range.lowerBound) to \(range.upperBound)"
    }
}

/// `-90` for -90.0, otherwise the shortest text of the number.
private func plain(_ number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
