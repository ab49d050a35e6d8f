import Synchronization

package enum MetricType: String, Sendable {
    case counter, gauge, histogram
}

package struct MetricLabel: Hashable, Sendable {
    package var name: String
    package var value: String
}

/// A value with its label values, in the order of the family's label names.
package struct MetricSample: Sendable {
    package var labels: [String]
    package var value: Double

    package init(_ labels: String..., value: Double) {
        self.labels = labels
        self.value = value
    }
}

/// Instruments that share a name and meaning, with one child per combination of label values known or in use.
///
/// Looking up a child takes a lock and hashes the values; on hot paths, keep the child.
package final class MetricFamily<Instrument: MetricInstrument>: Sendable {
    let description: MetricDescription
    private let make: @Sendable () -> Instrument
    private let children: Mutex<[[String]: Instrument]>

    /// - Parameter known: label values whose children exist from the start.
    init(_ description: MetricDescription, known: [[String]], make: @escaping @Sendable () -> Instrument) {
        self.description = description
        self.make = make
        known.forEach(description.check)
        children = Mutex(Dictionary(known.map { ($0, make()) }) { $1 })
    }

    /// The child with these label values, created on first use. Traps if their number differs from the label names'.
    package subscript(_ values: String...) -> Instrument {
        description.check(values)
        return children.withLock { children in
            if let child = children[values] { return child }
            let child = make()
            children[values] = child
            return child
        }
    }
}

extension MetricFamily where Instrument == Gauge {
    /// Keeps exactly these children; all others are no longer exposed.
    ///
    /// For values that are read together from elsewhere. If two samples have equal labels, the last one counts.
    package func replaceAll(with samples: [MetricSample]) {
        let gauges = samples.map { sample in
            description.check(sample.labels)
            let gauge = Gauge()
            gauge.set(sample.value)
            return (sample.labels, gauge)
        }
        let byLabels = Dictionary(gauges) { $1 }
        children.withLock { $0 = byLabels }
    }
}

/// The header lines above a family's samples.
struct MetricDescription: Hashable, Sendable {
    let name: String
    let help: String
    let type: MetricType
    let labelNames: [String]
    var bounds: [Double] = []

    func check(_ values: [String]) {
        guard values.count == labelNames.count else {
            fatalError(
                "Metric \(name) has the labels \(labelNames), not the \(values.count) values \(values)")
        }
    }

    func labels(_ values: [String]) -> [MetricLabel] {
        zip(labelNames, values).map { MetricLabel(name: $0, value: $1) }
    }
}

/// A family whose instruments the registry need not know.
protocol ExposedFamily: Sendable {
    var description: MetricDescription { get }
    func writeSamples(to text: inout ExpositionText)
}

extension MetricFamily: ExposedFamily {
    func writeSamples(to text: inout ExpositionText) {
        let children = children.withLock { $0 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (values, child) in children {
            child.write(to: &text, name: description.name, labels: description.labels(values))
        }
    }
}

/// A family whose samples are computed at each exposition.
struct CollectedFamily: ExposedFamily {
    let description: MetricDescription
    let collect: @Sendable () -> [MetricSample]

    func writeSamples(to text: inout ExpositionText) {
        let samples = Dictionary(collect().map { ($0.labels, $0.value) }) { $1 }
        for (values, value) in samples.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            description.check(values)
            text.sample(description.name, description.labels(values), value)
        }
    }
}
