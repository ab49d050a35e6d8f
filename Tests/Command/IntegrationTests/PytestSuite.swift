import ChildProcess
import FoundationEssentials
import TestKit
import Testing

/// The tests of a folder below `Tests/Web`, written in Python because clients and browsers are driven from there.
struct PytestSuite: Sendable {
    let folder: String
    /// The variable that says how much is tried: see `Tests/Web/HTTP/installation.py`.
    let variable: String
    /// Whether the gazetteer has countries with borders, as a map shows them.
    var hasBorders = false

    private var path: String { Checkout.root + "/Tests/Web/" + folder }

    /// The files of tests.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { $0.hasPrefix("test_") && $0.hasSuffix(".py") }.sorted()
    }

    /// Whether a word is in a file of tests.
    func mentions(_ word: String, _ file: String) -> Bool {
        let text = FileManager.default.contents(atPath: "\(path)/\(file)") ?? Data()
        return String(decoding: text, as: UTF8.self).contains(word)
    }

    private static func python() async throws -> String {
        try await PythonEnvironment.interpreter(
            "web-reference", requirements: "Tests/Web/Reference/requirements.txt")
    }

    /// Runs the tests of files in one process, with a database and a gazetteer of their own.
    ///
    /// - Parameter variables: further ones of its environment.
    func run(_ files: [String], variables: [String: String] = [:]) async throws {
        try #require(!files.isEmpty)
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            if hasBorders { try await darkroom.addBorders() }
            var environment = darkroom.environment.merging(variables) { $1 }
            environment["DARKROOM_PROGRAMS"] = Checkout.programs
            environment["DARKROOM_PHOTO"] = try darkroom.write(
                PhotoFixture.jpeg(latitude: -33.9, longitude: 18.4), to: "photo.jpg")
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
            environment[variable] = ProcessInfo.processInfo.environment[variable]
            let output = try await ChildProgram(
                try await Self.python(),
                [
                    "-m", "pytest", "-q", "--durations=0", "--durations-min=0.1",
                    "--basetemp=\(darkroom.root)/\(folder.lowercased())",
                ] + files,
                environment: environment, workingDirectory: path
            ).run()
            // The slowest tests, for whoever wants them quicker.
            print(output.standardOutput)
            #expect(output.ending == .exited(0), "\(output.standardOutput)\(output.standardError)")
        }
    }
}

extension Installation {
    /// Builds the gazetteer again, with two squares as countries.
    fileprivate func addBorders() async throws {
        let squares = [("US", -125, 25, -67, 49), ("ZA", 17, -35, 33, -22)].map {
            code, west, south, east, north in
            let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
                .map { "[\($0),\($1)]" }.joined(separator: ",")
            return """
                {"type":"Feature","properties":{"ISO_A2":"\(code)"},\
                "geometry":{"type":"Polygon","coordinates":[[\(corners)]]}}
                """
        }
        let collection = #"{"type":"FeatureCollection","features":["# + squares.joined(separator: ",") + "]}"
        _ = try write(Array(collection.utf8), to: "countries.geojson")
        try await command(["gazetteer", "build", "--from", root]).runSuccessfully()
    }
}
