import Synchronization

/// The metrics of a process, and their text for a scrape.
///
/// Misuse traps with the name of the metric: a name or label that Prometheus would refuse, a family registered twice
/// with different meanings, a wrong number of label values. Registering a family again with the same description
/// returns the same family, as it was first made. Names follow Prometheus's conventions: base units (seconds, bytes) at the end, and
/// `_total` on counters only.
package final class MetricsRegistry: Sendable {
    private let families = Mutex<[String: any ExposedFamily]>([:])

    package init() {}

    package func counter(_ name: String, _ help: String) -> Counter {
        counter(name, help, labels: [])[]
    }

    /// - Parameter known: label values whose counters exist from the start.
    package func counter(
        _ name: String, _ help: String, labels: [String], known: [[String]] = []
    ) -> MetricFamily<Counter> {
        family(MetricDescription(name: name, help: help, type: .counter, labelNames: labels), known) {
            Counter()
        }
    }

    package func gauge(_ name: String, _ help: String) -> Gauge {
        gauge(name, help, labels: [])[]
    }

    package func gauge(_ name: String, _ help: String, labels: [String]) -> MetricFamily<Gauge> {
        family(MetricDescription(name: name, help: help, type: .gauge, labelNames: labels)) { Gauge() }
    }

    /// - Parameter buckets: upper bounds in the base unit, ascending, without the infinite one.
    package func histogram(_ name: String, _ help: String, buckets: [Double]) -> Histogram {
        histogram(name, help, labels: [], buckets: buckets)[]
    }

    /// - Parameters:
    ///   - known: label values whose histograms exist from the start.
    ///   - buckets: upper bounds in the base unit, ascending, without the infinite one.
    package func histogram(
        _ name: String, _ help: String, labels: [String], known: [[String]] = [], buckets: [Double]
    ) -> MetricFamily<Histogram> {
        let description = MetricDescription(
            name: name, help: help, type: .histogram, labelNames: labels, bounds: buckets)
        return family(description, known) { Histogram(bounds: buckets) }
    }

    /// Registers a counter or gauge whose samples come from `samples` at every exposition, on the calling thread.
    ///
    /// Return no sample for what cannot be read. If two samples have equal labels, the last one counts.
    package func collect(
        _ type: MetricType, _ name: String, _ help: String, labels: [String] = [],
        samples: @escaping @Sendable () -> [MetricSample]
    ) {
        let description = MetricDescription(name: name, help: help, type: type, labelNames: labels)
        guard type != .histogram else { fatalError("Metric \(name): a histogram cannot be collected") }
        description.validate()
        families.withLock { families in
            guard families[name] == nil else { fatalError("Metric \(name) is registered already") }
            families[name] = CollectedFamily(description: description, collect: samples)
        }
    }

    private func family<Instrument: MetricInstrument>(
        _ description: MetricDescription, _ known: [[String]] = [],
        make: @escaping @Sendable () -> Instrument
    ) -> MetricFamily<Instrument> {
        description.validate()
        return families.withLock { families in
            guard let present = families[description.name] else {
                let family = MetricFamily(description, known: known, make: make)
                families[description.name] = family
                return family
            }
            guard present.description == description, let family = present as? MetricFamily<Instrument> else {
                fatalError("Metric \(description.name) is registered already, as \(present.description)")
            }
            return family
        }
    }

    /// Sorts families by name, so that two expositions of the same values give the same text.
    var sortedFamilies: [any ExposedFamily] {
        families.withLock { $0.values.sorted { $0.description.name < $1.description.name } }
    }
}

extension MetricDescription {
    func validate() {
        guard Self.isName(name), !name.hasPrefix("__") else {
            fatalError("Metric \(name): a name is made of a-z, A-Z, 0-9 and _, and has no leading digit")
        }
        guard name.hasSuffix("_total") == (type == .counter) else {
            fatalError("Metric \(name): the names of counters, and only those, end in _total")
        }
        // They would collide with the series of a histogram.
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
            fatalError("Metric \(name): a name cannot end in \(suffix)")
        }
        guard !help.isEmpty else { fatalError("Metric \(name) has no help") }
        for label in labelNames {
            guard Self.isName(label), !label.hasPrefix("__"), label != "le" || type != .histogram else {
                fatalError("Metric \(name): no label can be named \(label)")
            }
        }
        guard Set(labelNames).count == labelNames.count else {
            fatalError("Metric \(name): two labels have the same name")
        }
        guard type != .histogram || !bounds.isEmpty, bounds.allSatisfy(\.isFinite),
            zip(bounds, bounds.dropFirst()).allSatisfy(<)
        else { fatalError("Metric \(name): the buckets \(bounds) are not finite and ascending") }
    }

    /// No colons: they are reserved for recording rules.
    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
