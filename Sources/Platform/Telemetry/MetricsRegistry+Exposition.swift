extension MetricsRegistry {
    /// The `Content-Type` of what `render` returns.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Every metric in Prometheus's text format 0.0.4; families are sorted by name, children by label values.
    ///
    /// Values are read one after another while others may change them; those of one histogram are consistent.
    /// Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
    package func render() -> String {
        var text = ExpositionText()
        for family in sortedFamilies {
            text.header(family.description)
            family.writeSamples(to: &text)
        }
        return text.text
    }
}

/// Lines of the text format.
package struct ExpositionText {
    private(set) var text = ""

    mutating func header(_ family: MetricDescription) {
        text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n"
        text += "# TYPE \(family.name) \(family.type.rawValue)\n"
    }

    mutating func sample(_ name: String, _ labels: [MetricLabel], _ value: Double) {
        text += name
        var separator = "{"
        for label in labels {
            text += "\(separator)\(label.name)=\"\(Self.escaped(label.value, quotes: true))\""
            separator = ","
        }
        text += labels.isEmpty ? " " : "} "
        text += Self.number(value)
        text += "\n"
    }

    /// Whole numbers as integers, others as the shortest decimal that reads back as the same number.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Beyond 2^53 not every integer has a Double, so all its digits would be false precision.
        if abs(value) <= 0x1p53, let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        // Fast path: nearly all texts need no escaping, and there is one for each label of each sample.
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
