import Gazetteer
import GazetteerVerification
import Glibc

/// The cost of the index: the time to open it, its size, and the memory of a process.
extension GazetteerBenchmark {
    func measureOpening() throws {
        var times: [Double] = []
        for _ in 0..<20 {
            let began = ContinuousClock.now
            _ = try Gazetteer(path: index)
            times.append((.now - began) / .milliseconds(1))
        }
        report(
            BenchmarkLine(
                "gazetteer-opening", "ms", times.map { ($0, 10) }, against: "goal", goal: 1,
                lowerIsBetter: true))
        var status = stat()
        guard stat(index, &status) == 0 else { return }
        report(
            BenchmarkLine(
                "gazetteer-index", "MB", [(Double(status.st_size) / 1e6, 40)], against: "goal", goal: 1,
                lowerIsBetter: true))
    }

    func measureMemory() throws {
        let gazetteer = try Gazetteer(path: index)
        for point in gazetteer.sample(options.referencePoints, spread: Self.spread, seed: 5) {
            _ = gazetteer.reverse(point).place?.name
        }
        let (own, shared) = try withExtendedLifetime(gazetteer) { try Self.memory(index) }
        report(
            BenchmarkLine(
                "gazetteer-private-memory", "MB", [(own, 20)], against: "goal", goal: 1, lowerIsBetter: true,
                note:
                    "of the whole process after \(options.referencePoints) lookups; \(Int(shared)) MB of the index are in memory, "
                    + "clean and shared by all processes"))
    }

    /// Megabytes of this process: private memory without the index, and resident memory of the index.
    private static func memory(_ index: String) throws -> (own: Double, index: Double) {
        // The kernel generates the text page by page and does not tell the size beforehand.
        let descriptor = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("cannot read /proc/self/smaps") }
        defer { close(descriptor) }
        var data: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { data += chunk[..<count] }
        let name = index.split(separator: "/").last ?? ""
        var (own, shared) = (0.0, 0.0)
        var isIndex = false
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[2] == "kB", let size = Double(words[1]) else {
                if words.first?.contains("-") == true { isIndex = words.last?.hasSuffix("/\(name)") == true }
                continue
            }
            if isIndex, words[0] == "Rss:" { shared += size / 1000 }
            if !isIndex, words[0].hasPrefix("Private_") { own += size / 1000 }
        }
        return (own, shared)
    }
}
