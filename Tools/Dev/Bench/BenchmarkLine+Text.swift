import Arguments
import Benchmarking

extension BenchmarkLine {
    var json: JSON {
        .object([
            ("name", .string(name)), ("unit", .string(unit)), ("value", .number(value)),
            ("reference_name", JSON.optional(referenceName) { .string($0) }),
            ("reference", JSON.optional(reference) { .number($0) }),
            ("ratio", JSON.optional(ratio) { .number($0) }), ("goal", JSON.optional(goal) { .number($0) }),
            ("lower_is_better", .bool(lowerIsBetter)), ("runs", .integer(Int64(runs))),
            ("note", JSON.optional(note) { .string($0) }),
        ])
    }

    var text: String {
        var text = "\(name): \(Self.short(value)) \(unit)"
        if let referenceName, let reference, let ratio {
            text += ", \(Self.short(ratio)) x \(referenceName) (\(Self.short(reference)))"
        }
        if let goal, let meetsGoal {
            text +=
                ", goal \(lowerIsBetter ? "at most" : "at least") \(goal): \(meetsGoal ? "met" : "MISSED")"
        }
        return text + (note.map { "; \($0)" } ?? "")
    }

    private static func short(_ number: Double) -> String {
        number >= 100 ? String(Int(number.rounded())) : String((number * 1000).rounded() / 1000)
    }
}
