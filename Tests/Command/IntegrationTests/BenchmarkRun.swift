import ChildProcess
import TestKit
import Testing

/// The output of one successful `darkroom-dev bench`.
struct BenchmarkRun: Sendable {
    private let figures: [JSONObject]
    /// Its progress messages.
    let progress: String

    init(_ darkroom: Installation, _ arguments: String...) async throws {
        try await self.init(darkroom, arguments)
    }

    init(_ darkroom: Installation, _ arguments: [String]) async throws {
        let output = try await ChildProgram(
            Checkout.programs + "/darkroom-dev", ["bench"] + arguments + ["--json"],
            environment: darkroom.environment.merging(TestBucket.environment) { own, _ in own },
            workingDirectory: Checkout.root
        ).runSuccessfully()
        figures = try JSONObject.lines(output.standardOutput)
        progress = output.standardError
    }

    var names: Set<String> { Set(figures.compactMap { $0.string("name") }) }

    /// The remarks of all figures.
    var notes: String { figures.compactMap { $0.string("note") }.joined(separator: "\n") }

    func value(_ name: String) -> Double? {
        figures.first { $0.string("name") == name }?.number("value")
    }

    /// Expects exactly these figures, each next to the named reference, if any, with possible numbers.
    ///
    /// - Parameter mayBeNothing: figures that may be zero, or negative if they are a trend.
    func check(_ expected: [String: String?], mayBeNothing: Set<String> = []) throws {
        #expect(names == Set(expected.keys))
        for figure in figures {
            let name = try #require(figure.string("name"))
            // A number that is not finite is printed as null.
            let value = try #require(figure.number("value"), "\(name)")
            #expect(value > 0 || mayBeNothing.contains(name), "\(name): \(value)")
            #expect(try #require(figure.number("runs")) >= 1, "\(name)")
            guard let reference = figure.string("reference_name") else { continue }
            let beside = try #require(figure.number("reference"), "\(name)")
            let ratio = try #require(figure.number("ratio"), "\(name)")
            #expect(beside > 0 && ratio > 0, "\(name): \(beside) \(ratio)")
            #expect(reference == expected[name] ?? nil, "\(name)")
        }
        for case (let name, let reference?) in expected {
            #expect(
                figures.contains { $0.string("name") == name && $0.string("reference_name") == reference },
                "\(name) stands next to no \(reference)")
        }
    }
}
