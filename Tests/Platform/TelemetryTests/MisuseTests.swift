import Telemetry
import Testing

@Suite("A misuse of metrics", .timeLimit(.minutes(15)))
struct MisuseTests {
    enum Mistake: String, CaseIterable, Codable, Sendable {
        case badName, emptyName, startsWithDigit, counterWithoutTotal, gaugeWithTotal, reservedSuffix, noHelp
        case badLabel, reservedLabel, bucketLabel, sameLabelTwice, unsortedBuckets, noBuckets, infiniteBucket
        case otherType, otherLabels, otherBuckets, collectedTwice, collectedHistogram
        case tooFewValues, tooManyValues, wrongSample, negativeIncrement

        func commit() {
            let registry = MetricsRegistry()
            switch self {
            case .badName: _ = registry.gauge("a-b", "X.")
            case .emptyName: _ = registry.gauge("", "X.")
            case .startsWithDigit: _ = registry.gauge("2b", "X.")
            case .counterWithoutTotal: _ = registry.counter("a", "X.")
            case .gaugeWithTotal: _ = registry.gauge("a_total", "X.")
            case .reservedSuffix: _ = registry.gauge("a_count", "X.")
            case .noHelp: _ = registry.gauge("a", "")
            case .badLabel: _ = registry.gauge("a", "X.", labels: ["b c"])
            case .reservedLabel: _ = registry.gauge("a", "X.", labels: ["__b"])
            case .bucketLabel: _ = registry.histogram("a", "X.", labels: ["le"], buckets: [1])
            case .sameLabelTwice: _ = registry.gauge("a", "X.", labels: ["b", "b"])
            case .unsortedBuckets: _ = registry.histogram("a", "X.", buckets: [1, 1])
            case .noBuckets: _ = registry.histogram("a", "X.", buckets: [])
            case .infiniteBucket: _ = registry.histogram("a", "X.", buckets: [1, .infinity])
            case .otherType:
                _ = registry.gauge("a", "X.")
                _ = registry.histogram("a", "X.", buckets: [1])
            case .otherLabels:
                _ = registry.gauge("a", "X.")
                _ = registry.gauge("a", "X.", labels: ["b"])
            case .otherBuckets:
                _ = registry.histogram("a", "X.", buckets: [1])
                _ = registry.histogram("a", "X.", buckets: [2])
            case .collectedTwice:
                registry.collect(.gauge, "a", "X.") { [] }
                registry.collect(.gauge, "a", "X.") { [] }
            case .collectedHistogram: registry.collect(.histogram, "a", "X.") { [] }
            case .tooFewValues: registry.counter("a_total", "X.", labels: ["b", "c"])["1"].increment()
            case .tooManyValues: registry.counter("a_total", "X.", labels: [])["1"].increment()
            case .wrongSample:
                registry.gauge("a", "X.", labels: ["b"]).replaceAll(with: [MetricSample(value: 1)])
            case .negativeIncrement: registry.counter("a_total", "X.").increment(by: -1)
            }
        }

        var message: String {
            switch self {
            case .badName, .emptyName, .startsWithDigit: "a name is made of"
            case .counterWithoutTotal, .gaugeWithTotal: "_total"
            case .reservedSuffix: "cannot end in _count"
            case .noHelp: "has no help"
            case .badLabel: "no label can be named b c"
            case .reservedLabel: "no label can be named __b"
            case .bucketLabel: "no label can be named le"
            case .sameLabelTwice: "two labels"
            case .unsortedBuckets, .noBuckets, .infiniteBucket: "not finite and ascending"
            case .otherType, .otherLabels, .otherBuckets, .collectedTwice: "registered already"
            case .collectedHistogram: "cannot be collected"
            case .tooFewValues, .tooManyValues, .wrongSample: "has the labels"
            case .negativeIncrement: "incremented by -1"
            }
        }
    }

    @Test("stops the program and says what is wrong", arguments: Mistake.allCases)
    func mistake(_ mistake: Mistake) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [mistake = mistake as Mistake] in
            mistake.commit()
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(said.contains(mistake.message))
    }
}
