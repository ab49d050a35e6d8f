import ChildProcess
import FoundationEssentials
import Gazetteer
import Glibc
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// An installation for one test: a database, a media store, a small gazetteer, and the real programs.
struct Installation: Sendable {
    let database: QueueDatabase
    let root: String
    /// Where the media store is instead of a directory.
    var bucket: TestBucket?
    /// Another way to the bucket's server.
    var endpoint: String?
    /// Further variables of its programs, which win over its own.
    var variables: [String: String] = [:]

    var media: String { bucket?.location(prefix: "media", endpoint: endpoint) ?? root + "/media" }

    static func with(
        bucket: TestBucket? = nil, endpoint: String? = nil, _ body: (Installation) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await withTemporaryDirectory { (root: String) async throws -> Void in
                let installation = Installation(
                    database: database, root: root, bucket: bucket, endpoint: endpoint)
                try await installation.buildGazetteer()
                try await body(installation)
            }
        }
    }

    var environment: [String: String] {
        ChildProgram.plainEnvironment.merging([
            "DATABASE_URL": database.url, "DARKROOM_MEDIA": media,
            "DARKROOM_GAZETTEER": root + "/gazetteer.drg",
            "HOME": root,
        ]) { _, new in new }.merging(bucket == nil ? [:] : TestBucket.environment) { _, new in new }
            .merging(variables) { _, new in new }
    }

    func command(_ arguments: [String], of program: String = "darkroom") -> ChildProgram {
        ChildProgram(
            Checkout.programs + "/" + program, arguments, environment: environment, workingDirectory: root)
    }

    /// Runs `darkroom` to its end.
    func darkroom(_ arguments: String...) async throws -> ChildProgram.Output {
        try await command(arguments).run()
    }

    /// Runs `darkroom-dev` to its end.
    func dev(_ arguments: String...) async throws -> ChildProgram.Output {
        try await command(arguments, of: "darkroom-dev").run()
    }

    /// Runs `darkroom`, which must succeed, and returns the JSON objects that it printed.
    func json(_ arguments: String...) async throws -> [JSONObject] {
        try JSONObject.lines(try await command(arguments + ["--json"]).runSuccessfully().standardOutput)
    }

    func drain() async throws {
        try await command(["work", "--drain", "--concurrency", "1"]).runSuccessfully()
    }

    /// Writes a file for the test and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = "\(root)/\(name)"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// A rendering configuration for workers whose renderers the test stops, or whose machine may be busy: no time is too long.
    func patientRendering() throws -> String {
        try write(
            Array(#"{"limits": {"idle_seconds": 3600, "wall_clock_seconds": 290}}"#.utf8),
            to: "rendering.json")
    }

    private func buildGazetteer() async throws {
        let rows: [(Int, String, Double, Double, String, String, Int)] = [
            (5_809_844, "Seattle", 47.60621, -122.33207, "US", "WA", 737_015),
            (4_250_542, "Springfield", 39.80172, -89.64371, "US", "IL", 116_565),
            (4_409_896, "Springfield", 37.21533, -93.29824, "US", "MO", 169_176),
            (3_369_157, "Cape Town", -33.92584, 18.42322, "ZA", "11", 4_710_000),
        ]
        let places = rows.map { id, name, latitude, longitude, country, admin1, population in
            [
                "\(id)", name, name, "", "\(latitude)", "\(longitude)", "P", "PPL", country, "", admin1, "",
                "",
                "", "\(population)", "", "", "", "",
            ].joined(separator: "\t")
        }
        _ = try write(Array((places.joined(separator: "\n") + "\n").utf8), to: "cities500.txt")
        let admin1 = [
            "US.WA\tWashington\tWashington\t5815135", "US.IL\tIllinois\tIllinois\t4896861",
            "US.MO\tMissouri\tMissouri\t4398678", "ZA.11\tWestern Cape\tWestern Cape\t1085599",
        ]
        _ = try write(Array((admin1.joined(separator: "\n") + "\n").utf8), to: "admin1CodesASCII.txt")
        let countries = [
            ("US", "USA", "United States", "Washington", 6_252_001),
            ("ZA", "ZAF", "South Africa", "Pretoria", 953_987),
        ]
        .map { "\($0)\t\($1)\t0\t\t\($2)\t\($3)\t1\t1\tXX\t.x\tXXX\tX\t1\t\t\t\t\($4)\t\t\n" }
        _ = try write(Array(countries.joined().utf8), to: "countryInfo.txt")
        try await command(["gazetteer", "build", "--from", root]).runSuccessfully()
    }
}

/// A JSON object whose values are looked up by path, as a script would.
struct JSONObject: Sendable {
    private let value: Value

    private indirect enum Value: Sendable, Decodable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }

    static func lines(_ text: String) throws -> [JSONObject] {
        try text.split(separator: "\n").map {
            JSONObject(value: try JSONDecoder().decode(Value.self, from: Data($0.utf8)))
        }
    }

    func string(_ path: String...) -> String? {
        if case .string(let text) = find(path) { text } else { nil }
    }

    func number(_ path: String...) -> Double? {
        if case .number(let number) = find(path) { number } else { nil }
    }

    func bool(_ path: String...) -> Bool? {
        if case .bool(let bool) = find(path) { bool } else { nil }
    }

    func array(_ path: String...) -> [JSONObject] {
        if case .array(let values) = find(path) { values.map(JSONObject.init) } else { [] }
    }

    func isNull(_ path: String...) -> Bool {
        if case .null = find(path) { true } else { false }
    }

    var keys: Set<String> {
        if case .object(let fields) = value { Set(fields.keys) } else { [] }
    }

    private func find(_ path: [String]) -> Value? {
        path.reduce(value) { value, key in
            if case .object(let fields) = value { fields[key] } else { nil }
        }
    }
}

/// A `darkroom work` that the test can kill.
struct WorkerProcess: Sendable {
    let program: RunningProgram

    init(_ program: RunningProgram) { self.program = program }

    init(_ installation: Installation, _ arguments: String...) throws {
        self.init(try installation.command(["work", "--concurrency", "1"] + arguments).start())
    }

    func send(_ signal: Int32) { program.send(signal) }

    func end() async throws -> ChildProgram.Ending { try await program.end() }

    /// Unnamed files that the worker holds open: the renditions that a renderer will fill.
    func unnamedFiles() throws -> Int {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.process)/fd")
        return descriptors.count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(program.process)/fd/\(descriptor)")
            return target?.contains("/renditions/#") == true
        }
    }

    /// Stops the worker's zygotes and renderers, once it has some.
    ///
    /// - Returns: the stopped ones. Whoever wants to kill them takes these, and not what the worker has started since.
    func stopRenderers() async throws -> [Int32] {
        var stopped: [Int32] = []
        while stopped.isEmpty {
            // A zygote may fork one meanwhile, but not once it is stopped.
            for _ in 0..<2 {
                for child in children where !stopped.contains(child) {
                    kill(child, SIGSTOP)
                    stopped.append(child)
                }
            }
            if stopped.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        }
        return stopped
    }

    private var children: [Int32] {
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.process)/task")) ?? []
        return threads.flatMap { thread in
            let list = FileManager.default.contents(
                atPath: "/proc/\(program.process)/task/\(thread)/children")
            return String(decoding: list ?? Data(), as: UTF8.self).split(separator: " ").compactMap {
                Int32($0)
            }
        }
    }
}

/// Whether a process exists and is not a zombie.
func isAlive(_ process: Int32) -> Bool {
    guard let status = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
    let text = String(decoding: status, as: UTF8.self)
    let state = text.split(separator: ")").last?.split(separator: " ").first
    return state != "Z" && state != "X"
}
