/// Reads one field of a cron expression into a set of numbers.
struct CronFieldParser {
    private let field: CronField
    private let text: Substring

    init(_ field: CronField, _ text: Substring) {
        self.field = field
        self.text = text
    }

    /// Bit n is set if the field includes n; Sunday is bit 0 only.
    func set() throws(CronError) -> UInt64 {
        var set: UInt64 = 0
        for element in text.split(separator: ",", omittingEmptySubsequences: false) {
            for number in try numbers(element) {
                set |= 1 << (field == .dayOfWeek ? number % 7 : number)
            }
        }
        return set
    }

    private func numbers(_ element: Substring) throws(CronError) -> StrideThrough<Int> {
        let parts = element.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isRange = parts[0] == "*" || parts[0].contains("-")
        let range = try range(parts[0])
        guard parts.count == 2 else {
            return stride(from: range.lowerBound, through: range.upperBound, by: 1)
        }
        guard isRange else {
            throw fault(
                .step,
                "has a step after a single number; write \(parts[0])-\(field.whole.upperBound)/\(parts[1])")
        }
        let widest = field.whole.upperBound
        guard let step = number(parts[1]), (1...widest).contains(step) else {
            throw fault(.step, "has the step \"\(parts[1])\"; allowed are 1 to \(widest)")
        }
        return stride(from: range.lowerBound, through: range.upperBound, by: step)
    }

    private func range(_ text: Substring) throws(CronError) -> ClosedRange<Int> {
        if text == "*" { return field.whole }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends[0])
        guard ends.count == 2 else { return first...first }
        var last = try value(ends[1])
        // A range that ends with SUN ends with day 7.
        if field == .dayOfWeek, last == 0, first > 0 { last = 7 }
        guard first <= last else {
            throw fault(
                .range,
                "has the range \"\(text)\", which ends before it begins; write two ranges with a comma")
        }
        return first...last
    }

    private func value(_ text: Substring) throws(CronError) -> Int {
        if let name = field.names.firstIndex(of: text.uppercased()) { return name + field.allowed.lowerBound }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw fault(.syntax, "has \"\(text)\", which is not valid; allowed are \(allowed)")
        }
        guard let value = number(text), field.allowed.contains(value) else {
            throw fault(.value, "has \(text); allowed are \(allowed)")
        }
        return value
    }

    /// Nil if `text` is not all digits or is too large.
    private func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private var allowed: String {
        var text = "\(field.allowed.lowerBound) to \(field.allowed.upperBound)"
        if let first = field.names.first, let last = field.names.last { text += ", \(first) to \(last)" }
        return text + ", lists, ranges and *"
    }

    private func fault(_ code: CronError.Code, _ what: String) -> CronError {
        CronError(code, field: field, "the \(field.rawValue) \"\(text)\" \(what)")
    }
}
