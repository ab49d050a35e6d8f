import Telemetry
import Testing

@Suite("The text of metrics", .timeLimit(.minutes(15)))
struct ExpositionTests {
    @Test("sorts families by name and children by label values, and escapes special characters")
    func text() {
        let registry = MetricsRegistry()
        let jobs = registry.counter("jobs_total", "Jobs.", labels: ["kind", "outcome"])
        jobs["moderate", "failed"].increment()
        jobs["ingest", "succeeded"].increment(by: 41)
        jobs["ingest", "succeeded"].increment()
        registry.gauge("free_bytes", "A \"path\" like C:\\x\nand a second line.").set(2.5)
        registry.gauge("named", "Names.", labels: ["name"])["a\"b\\c\nd\u{E9}"].set(-3)
        _ = registry.gauge("unused", "No child yet.", labels: ["kind"])
        #expect(
            registry.render() == #"""
                # HELP free_bytes A "path" like C:\\x\nand a second line.
                # TYPE free_bytes gauge
                free_bytes 2.5
                # HELP jobs_total Jobs.
                # TYPE jobs_total counter
                jobs_total{kind="ingest",outcome="succeeded"} 42
                jobs_total{kind="moderate",outcome="failed"} 1
                # HELP named Names.
                # TYPE named gauge
                named{name="a\"b\\c\ndé"} -3
                # HELP unused No child yet.
                # TYPE unused gauge

                """#)
    }

    @Test(
        "writes a number as Prometheus reads it",
        arguments: [
            (0, "0"), (-0.5, "-0.5"), (1_700_000_000.25, "1700000000.25"), (0.1, "0.1"), (1e-7, "1e-07"),
            (9_007_199_254_740_992, "9007199254740992"), (1e300, "1e+300"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"), (.nan, "NaN"),
        ] as [(Double, String)])
    func number(value: Double, text: String) {
        let registry = MetricsRegistry()
        registry.gauge("x", "X.").set(value)
        #expect(registry.render().hasSuffix("\nx \(text)\n"))
    }

    @Test("of a histogram has cumulative buckets")
    func histogram() {
        let registry = MetricsRegistry()
        let times = registry.histogram("run_seconds", "Times.", labels: ["kind"], buckets: [0.25, 1, 2.5])
        // A bound belongs to its bucket; the values are sums of powers of two, so their sum is exact.
        for value in [0.25, 0.5, 1, 64] { times["ingest"].observe(value) }
        times["ingest"].observe(.milliseconds(2500))
        #expect(
            registry.render() == """
                # HELP run_seconds Times.
                # TYPE run_seconds histogram
                run_seconds_bucket{kind="ingest",le="0.25"} 1
                run_seconds_bucket{kind="ingest",le="1"} 3
                run_seconds_bucket{kind="ingest",le="2.5"} 4
                run_seconds_bucket{kind="ingest",le="+Inf"} 5
                run_seconds_sum{kind="ingest"} 68.25
                run_seconds_count{kind="ingest"} 5

                """)
    }

    @Test("of a histogram is not spoilt by a clock that runs backwards or by NaN")
    func oddValues() {
        let registry = MetricsRegistry()
        let times = registry.histogram("run_seconds", "Times.", buckets: [1])
        times.observe(.seconds(-5))
        times.observe(.nan)
        times.observe(.infinity)
        #expect(
            registry.render().hasSuffix(
                "\nrun_seconds_bucket{le=\"1\"} 1\nrun_seconds_bucket{le=\"+Inf\"} 1\nrun_seconds_sum 0\nrun_seconds_count 1\n"
            ))
    }

    @Test("calls a collector at each exposition, and exposes nothing if it has nothing")
    func collector() {
        let registry = MetricsRegistry()
        let depth = registry.gauge("depth", "Jobs.", labels: ["queue"])
        registry.collect(.gauge, "twice_depth", "Twice the jobs.", labels: ["queue"]) {
            let value = depth["a"].value
            return value == 0 ? [] : [MetricSample("a", value: 1), MetricSample("a", value: value * 2)]
        }
        #expect(registry.render().hasSuffix("# TYPE twice_depth gauge\n"))
        depth["a"].set(21)
        #expect(registry.render().hasSuffix("# TYPE twice_depth gauge\ntwice_depth{queue=\"a\"} 42\n"))
    }

    @Test("forgets the children that a replacement leaves out")
    func replacement() {
        let registry = MetricsRegistry()
        let depth = registry.gauge("depth", "Jobs.", labels: ["queue"])
        depth.replaceAll(with: [MetricSample("a", value: 1), MetricSample("b", value: 2)])
        depth.replaceAll(with: [MetricSample("b", value: 3), MetricSample("c", value: 4)])
        #expect(registry.render().hasSuffix("gauge\ndepth{queue=\"b\"} 3\ndepth{queue=\"c\"} 4\n"))
        depth.replaceAll(with: [])
        #expect(registry.render().hasSuffix("gauge\n"))
    }

    @Test("counts exactly when many tasks count at once, and never shows a partly updated histogram")
    func concurrency() async {
        let registry = MetricsRegistry()
        let family = registry.counter("events_total", "Events.", labels: ["kind"])
        let level = registry.gauge("level", "Level.")
        let times = registry.histogram("run_seconds", "Times.", buckets: [0.5, 1, 2])
        let (tasks, rounds) = (16, 2000)
        await withDiscardingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<rounds {
                        family["kind \(round % 3)"].increment()
                        level.add(task.isMultiple(of: 2) ? 2 : -1)
                        times.observe(1)
                    }
                }
            }
            group.addTask {
                for _ in 0..<50 {
                    let lines = registry.render().split(separator: "\n")
                    func value(_ name: String) -> Double? {
                        lines.first { $0.hasPrefix(name + " ") }.flatMap {
                            Double($0.split(separator: " ")[1])
                        }
                    }
                    #expect(value("run_seconds_sum") == value("run_seconds_count"))
                    #expect(value("run_seconds_bucket{le=\"1\"}") == value("run_seconds_count"))
                }
            }
        }
        #expect((0..<3).map { family["kind \($0)"].value }.reduce(0, +) == tasks * rounds)
        #expect(level.value == Double(tasks * rounds / 2))
        #expect(registry.render().contains("\nrun_seconds_count \(tasks * rounds)\n"))
    }

    @Test("returns the same family when it is registered again")
    func sameFamily() {
        let registry = MetricsRegistry()
        registry.counter("events_total", "Events.", labels: ["kind"])["a"].increment()
        registry.counter("events_total", "Events.", labels: ["kind"])["a"].increment()
        #expect(registry.render().hasSuffix("\nevents_total{kind=\"a\"} 2\n"))
    }
}
