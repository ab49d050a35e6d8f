/// The values of labels that are known before anything happens.
///
/// A family exposes these at 0 from the start. A counter that appeared with its first event would begin at 1, and
/// Prometheus's `increase()` would miss that event: it sees only changes.
package struct KnownLabels: Sendable {
    package var kinds: [String] = []
    package var outcomes: [String] = []
    /// The reasons for which jobs of a kind are rejected.
    package var rejections: [String: [String]] = [:]
    package var stages: [String] = []
    package var schedules: [String] = []
    package var dependencies: [String] = []

    package init() {}

    /// Every value on its own, for a family with one label.
    static func each(_ values: [String]) -> [[String]] { values.map { [$0] } }

    /// Every value of the first label with every value of the second.
    static func pairs(_ first: [String], _ second: [String]) -> [[String]] {
        first.flatMap { value in second.map { [value, $0] } }
    }
}
