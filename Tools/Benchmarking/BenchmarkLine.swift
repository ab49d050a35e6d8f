/// One figure next to its reference.
package struct BenchmarkLine: Sendable {
    /// Lower-case words joined by hyphens.
    package let name: String
    package let unit: String
    /// The median of the runs.
    package let value: Double
    package let referenceName: String?
    /// The reference's median, measured in the same run.
    package let reference: Double?
    /// The median over the runs of value divided by reference.
    package let ratio: Double?
    /// The ratio to reach, or not to exceed if lower is better; without a reference, the value to reach. Nil for none.
    package let goal: Double?
    package let lowerIsBetter: Bool
    package let runs: Int
    /// A remark.
    package let note: String?

    /// Whether the goal is met; nil if there is none.
    package var meetsGoal: Bool? {
        guard let goal else { return nil }
        let reached = ratio ?? value
        return lowerIsBetter ? reached <= goal : reached >= goal
    }

    /// A figure without a reference.
    package init(
        _ name: String, _ unit: String, _ values: [Double], goal: Double? = nil, lowerIsBetter: Bool = false,
        note: String? = nil
    ) {
        self.init(
            name: name, unit: unit, value: median(values), referenceName: nil, reference: nil, ratio: nil,
            goal: goal, lowerIsBetter: lowerIsBetter, runs: values.count, note: note)
    }

    /// A figure next to a reference; each pair comes from one run.
    package init(
        _ name: String, _ unit: String, _ pairs: [(value: Double, reference: Double)],
        against reference: String,
        goal: Double?, lowerIsBetter: Bool = false, note: String? = nil
    ) {
        self.init(
            name: name, unit: unit, value: median(pairs.map(\.value)), referenceName: reference,
            reference: median(pairs.map(\.reference)), ratio: median(pairs.map { $0.value / $0.reference }),
            goal: goal, lowerIsBetter: lowerIsBetter, runs: pairs.count, note: note)
    }

    private init(
        name: String, unit: String, value: Double, referenceName: String?, reference: Double?, ratio: Double?,
        goal: Double?, lowerIsBetter: Bool, runs: Int, note: String?
    ) {
        self.name = name
        self.unit = unit
        self.value = value
        self.referenceName = referenceName
        self.reference = reference
        self.ratio = ratio
        self.goal = goal
        self.lowerIsBetter = lowerIsBetter
        self.runs = runs
        self.note = note
    }
}
