import ChildProcess
import FoundationEssentials
import Gazetteer
import GazetteerVerification
import Glibc
import Threads

/// `darkroom-dev bench gazetteer`: measures lookups on one thread, next to two Python packages and PostGIS.
package struct GazetteerBenchmark: Sendable {
    package struct Options: Sendable {
        /// The number of measurements; their median is reported.
        package var runs = 5
        /// Points per measurement.
        package var points: Int
        /// Points per measurement of a reference.
        let referencePoints: Int
        /// Names per measurement.
        let names: Int
        /// Random points to compare with an exhaustive search; 0 for none.
        package var check = 0
        /// A database to measure PostGIS in.
        package var database: String?

        /// - Parameter scale: the share of the usual size, 0…1.
        package init(scale: Double = 1) {
            points = max(1000, Int(1_000_000 * scale))
            referencePoints = max(1000, Int(100_000 * scale))
            names = max(100, Int(20_000 * scale))
        }
    }

    let index: String
    let options: Options
    private let tools: BenchmarkTools
    let report: @Sendable (BenchmarkLine) -> Void
    private let progress: @Sendable (String) -> Void

    /// The largest distance of a point from a place along each axis, in degrees.
    static let spread = 0.1
    package static let references = [
        "reverse-geocoder", "reverse-geocoder-single", "reverse-geocode", "reverse-geocode-single", "postgis",
    ]

    /// - Parameter index: path of the gazetteer's index.
    package init(
        index: String, options: Options, tools: BenchmarkTools,
        progress: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (BenchmarkLine) -> Void
    ) {
        self.index = index
        self.options = options
        self.tools = tools
        self.progress = progress
        self.report = report
    }

    /// - Throws: `GazetteerError` if the index cannot be read, ``BenchmarkError`` if a result is wrong.
    package func run() async throws {
        // First, before anything else takes memory.
        try await onThread { try measureMemory() }
        let gazetteer = try Gazetteer(path: index)
        try await onThread { try measureOpening() }
        try await measureReverse(gazetteer)
        try await onThread { measureLatency(gazetteer) }
        try await onThread { measureForward(gazetteer) }
        if options.check > 0 { try await onThread { try check(gazetteer) } }
    }

    // MARK: Reverse

    private func measureReverse(_ gazetteer: Gazetteer) async throws {
        let points = try await onThread {
            gazetteer.sample(options.points, spread: Self.spread, seed: 1)
        }
        let file = "/tmp/darkroom-\(getpid())-points.tsv"
        let places = "/tmp/darkroom-\(getpid())-places.tsv"
        defer {
            unlink(file)
            unlink(places)
        }
        try await onThread {
            try Self.write(points.prefix(options.referencePoints), to: file)
            try Self.write(gazetteer.sample(gazetteer.info.placeCount, spread: 0, seed: 2)[...], to: places)
        }
        var arguments = ["--points", file, "--places", places]
        if let database = options.database { arguments += ["--url", database] }
        // The first pass brings the pages into memory.
        _ = try await onThread { Self.rate(gazetteer, points) }
        var rates: [Double] = []
        var texts: [Double] = []
        var others: [String: [Double]] = [:]
        var missing = Set(Self.references.filter { !tools.measures($0) })
        for name in Self.references where missing.contains(name) {
            progress("\(name): skipped")
        }
        if options.database == nil, missing.insert("postgis").inserted {
            progress("postgis: not measured; give --database with a server that has it")
        }
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("run \(run) of \(options.runs)")
            rates.append(try await onThread { Self.rate(gazetteer, points) })
            texts.append(try await onThread { Self.textRate(gazetteer, points) })
            for name in Self.references where !missing.contains(name) {
                do {
                    guard let reference = try await tools.reference(name, arguments) else {
                        missing.insert(name)
                        continue
                    }
                    others[name, default: []].append(reference.value)
                } catch let error as ChildProgramError {
                    missing.insert(name)
                    progress("\(name): not measured; \(error)")
                }
            }
        }
        let note = "\(points.count) points within \(Self.spread)° of places, one thread, processor time"
        report(
            BenchmarkLine(
                "gazetteer-reverse", "look-ups/s", rates.map { ($0, 1_500_000) }, against: "goal", goal: 1,
                note: note + "; country, place, division and zone as numbers, and distance"))
        report(
            BenchmarkLine("gazetteer-reverse-texts", "look-ups/s", texts, note: "and all names as strings"))
        for name in Self.references {
            guard let values = others[name], values.count == rates.count else { continue }
            report(
                BenchmarkLine(
                    "gazetteer-reverse", "look-ups/s", zip(rates, values).map { ($0, $1) }, against: name,
                    goal: 1,
                    note: "the reference only finds the nearest point"))
        }
    }

    private static func rate(_ gazetteer: Gazetteer, _ points: [Coordinate]) -> Double {
        var sum = 0.0
        let began = threadSeconds()
        for point in points {
            let answer = gazetteer.reverse(point)
            sum += (answer.distanceMetres ?? 0) + Double(answer.geonameid ?? 0)
        }
        let seconds = threadSeconds() - began
        // Using the sum keeps the compiler from removing the loop.
        return sum.isNaN ? 0 : Double(points.count) / seconds
    }

    private static func textRate(_ gazetteer: Gazetteer, _ points: [Coordinate]) -> Double {
        var sum = 0
        let began = threadSeconds()
        for point in points {
            let answer = gazetteer.reverse(point)
            sum += answer.country?.name.utf8.count ?? 0
            sum += answer.admin1?.name.utf8.count ?? 0
            if let place = answer.place { sum += place.name.utf8.count + (place.timeZone?.utf8.count ?? 0) }
        }
        let seconds = threadSeconds() - began
        return sum < 0 ? 0 : Double(points.count) / seconds
    }

    private func measureLatency(_ gazetteer: Gazetteer) {
        let points = gazetteer.sample(min(options.points, 200_000), spread: Self.spread, seed: 3)
        var medians: [Double] = []
        var tails: [Double] = []
        for _ in 0..<options.runs {
            let clock = quantile((0..<10_000).map { _ in Self.nanoseconds {} }, 0.5)
            let times = points.map { point in
                Self.nanoseconds {
                    let answer = gazetteer.reverse(point)
                    _ = (answer.distanceMetres, answer.geonameid)
                } - clock
            }
            medians.append(quantile(times, 0.5) / 1000)
            tails.append(quantile(times, 0.99) / 1000)
        }
        report(BenchmarkLine("gazetteer-reverse-p50", "µs", medians, lowerIsBetter: true))
        report(
            BenchmarkLine(
                "gazetteer-reverse-p99", "µs", tails.map { ($0, 3) }, against: "goal", goal: 1,
                lowerIsBetter: true, note: "wall-clock time, minus the cost of reading the clock"))
    }

    // MARK: Forward

    private func measureForward(_ gazetteer: Gazetteer) {
        let texts = gazetteer.sampleNames(options.names, seed: 4)
        var tails: [Double] = []
        for _ in 0..<options.runs {
            let times = texts.map { text in Self.nanoseconds { _ = gazetteer.forward(text) } }
            tails.append(quantile(times, 0.99) / 1e6)
        }
        report(
            BenchmarkLine(
                "gazetteer-forward-p99", "ms", tails.map { ($0, 1) }, against: "goal", goal: 1,
                lowerIsBetter: true,
                note: "\(texts.count) names of places, half of them with the country's code"))
    }

    // MARK: Agreement

    private func check(_ gazetteer: Gazetteer) throws {
        let exhaustive = ExhaustiveSearch(gazetteer)
        let near = gazetteer.sample(options.check / 2, spread: Self.spread, seed: 6)
        var wrong = 0
        for (done, point) in (near + Self.anywhere(options.check - near.count)).enumerated() {
            if gazetteer.reverse(point) != exhaustive.reverse(point) {
                wrong += 1
                progress("\(point.latitude) \(point.longitude) has another result in an exhaustive search")
            }
            if (done + 1).isMultiple(of: 1000) { progress("\(done + 1) of \(options.check) points compared") }
        }
        report(
            BenchmarkLine(
                "gazetteer-disagreements", "points", [Double(wrong)], lowerIsBetter: true,
                note: "of \(options.check), compared with a search of every edge and place"))
        if wrong > 0 { throw BenchmarkError("\(wrong) points have another result in an exhaustive search") }
    }

    /// Points all over the map, by a sequence of low discrepancy (Roberts, 2018); the same at each call.
    private static func anywhere(_ count: Int) -> [Coordinate] {
        (0..<count).compactMap { index in
            let (x, y) = (Double(index) * 0.7548776662466927, Double(index) * 0.5698402909980532)
            return Coordinate(
                latitude: (x - x.rounded(.down)) * 180 - 90, longitude: (y - y.rounded(.down)) * 360 - 180)
        }
    }

    // MARK: Tools

    private static func write(_ points: ArraySlice<Coordinate>, to path: String) throws {
        let text = points.map { "\($0.latitude)\t\($0.longitude)\n" }.joined()
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @inline(__always)
    private static func nanoseconds(_ body: () -> Void) -> Double {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_MONOTONIC, &start)
        body()
        clock_gettime(CLOCK_MONOTONIC, &end)
        return Double(end.tv_sec - start.tv_sec) * 1e9 + Double(end.tv_nsec - start.tv_nsec)
    }
}
