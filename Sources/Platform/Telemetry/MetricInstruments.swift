import Synchronization

/// One member of a metric family: a counter, a gauge or a histogram, with one set of label values.
package protocol MetricInstrument: AnyObject, Sendable {
    static var type: MetricType { get }
    /// Writes the instrument's samples; `labels` are those of the child.
    func write(to text: inout ExpositionText, name: String, labels: [MetricLabel])
}

/// A count of events since the process started. It only grows.
package final class Counter: MetricInstrument {
    package static let type = MetricType.counter
    private let count = Atomic<Int>(0)

    package var value: Int { count.load(ordering: .relaxed) }

    /// - Parameter amount: 0 or more.
    package func increment(by amount: Int = 1) {
        guard amount >= 0 else { fatalError("A counter cannot be incremented by \(amount)") }
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    package func write(to text: inout ExpositionText, name: String, labels: [MetricLabel]) {
        text.sample(name, labels, Double(value))
    }
}

/// A number that goes up and down.
package final class Gauge: MetricInstrument {
    package static let type = MetricType.gauge
    /// Kept as a bit pattern: there is no atomic floating-point number.
    private let bits = Atomic<UInt64>(0)

    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    package func set(_ value: Int) { set(Double(value)) }
    /// Sets 1 for true, 0 for false.
    package func set(_ value: Bool) { set(value ? 1 : 0) }
    /// Sets the current system time in seconds since 1970.
    package func setToCurrentTime() { set(UnixTime.now()) }

    package func add(_ amount: Double) {
        var before = bits.load(ordering: .relaxed)
        while true {
            let after = (Double(bitPattern: before) + amount).bitPattern
            let (exchanged, current) = bits.weakCompareExchange(
                expected: before, desired: after, ordering: .relaxed)
            if exchanged { return }
            before = current
        }
    }

    package func write(to text: inout ExpositionText, name: String, labels: [MetricLabel]) {
        text.sample(name, labels, value)
    }
}

/// Counts how many values fell into each of a fixed set of buckets, and their sum.
package final class Histogram: MetricInstrument {
    package static let type = MetricType.histogram

    private struct State {
        /// One count per bucket, not cumulative; the last bucket has no upper bound.
        var counts: [Int]
        var sum = 0.0
    }

    /// The upper bounds, ascending; each is inclusive.
    package let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: [Int](repeating: 0, count: bounds.count + 1)))
    }

    /// Counts one value in the base unit (seconds or bytes). A value that is not finite is ignored, because it would
    /// spoil the sum permanently.
    package func observe(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    /// Counts one duration, in seconds. Two clocks may disagree, so a negative duration counts as zero.
    package func observe(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        observe(max(0, Double(seconds) + Double(attoseconds) / 1e18))
    }

    package func write(to text: inout ExpositionText, name: String, labels: [MetricLabel]) {
        let state = state.withLock { $0 }
        var total = 0
        for (index, count) in state.counts.enumerated() {
            total += count
            let bound = index < bounds.count ? bounds[index] : .infinity
            text.sample(
                name + "_bucket", labels + [MetricLabel(name: "le", value: ExpositionText.number(bound))],
                Double(total))
        }
        text.sample(name + "_sum", labels, state.sum)
        text.sample(name + "_count", labels, Double(total))
    }
}
