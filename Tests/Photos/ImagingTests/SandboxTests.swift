import CLinux
import ChildProcess
import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// A compromised renderer tries every way out: through all layers together, and through each that must stop it.
@Suite("The sandbox", .timeLimit(.minutes(5)))
struct SandboxTests {
    struct Attempt: Sendable, CustomTestStringConvertible {
        let name: String
        /// The layers that each stop it alone.
        let layers: Set<Sandbox.Layer>
        /// The first version of Landlock that refuses it.
        var landlock: CInt = 1
        /// Some machines refuse it to every process, for example containers or those with a stricter ptrace.
        var mayBeForbiddenToAll = false
        /// The target, if it is known before the test runs.
        var target = "-"
        /// The errors of a refusal. A kernel may return any of them.
        var errors: Set<String> = ["EPERM"]
        var testDescription: String { name }
    }

    static let attempts = [
        Attempt(
            name: "read-file", layers: [.seccomp, .landlock], target: "/etc/passwd",
            errors: ["EPERM", "EACCES"]),
        Attempt(name: "look-at-path", layers: [.seccomp], target: "/etc/passwd"),
        Attempt(name: "execute", layers: [.seccomp, .landlock], errors: ["EPERM", "EACCES"]),
        Attempt(name: "fork", layers: [.seccomp]),
        Attempt(name: "trace-parent", layers: [.seccomp, .landlock], mayBeForbiddenToAll: true),
        Attempt(name: "read-parent", layers: [.seccomp, .landlock], mayBeForbiddenToAll: true),
        // Linux 6.12.
        Attempt(name: "signal-parent", layers: [.seccomp, .landlock], landlock: 6),
        Attempt(name: "new-namespace", layers: [.seccomp], mayBeForbiddenToAll: true),
        Attempt(name: "make-ring", layers: [.seccomp], mayBeForbiddenToAll: true),
        Attempt(name: "send-elsewhere", layers: [.seccomp]),
        Attempt(name: "fill-memory", layers: [.limits], target: "4096", errors: ["ENOMEM"]),
        Attempt(name: "write-much", layers: [.limits], target: "64", errors: ["EFBIG"]),
    ]

    /// Built in the directory of the renderer.
    private static var program: String {
        URL(filePath: rendererPath!).deletingLastPathComponent().appending(path: "Breakout").path
    }

    /// The output of the probe, or the signal that ended it.
    private static func probe(_ layers: String, _ attempt: String, _ target: String) async throws -> String {
        let output = try await ChildProgram(Self.program, [layers, attempt, target]).run()
        switch output.ending {
        case .exited(0): return String(output.standardOutput.prefix { !$0.isNewline })
        case .exited(let status): return "exit \(status): \(output.standardOutput)\(output.standardError)"
        case .killed(let signal): return "signal \(signal)"
        }
    }

    @Test(
        "refuses each way out that is open without it, by all layers and by each alone", arguments: attempts)
    func wayOut(_ attempt: Attempt) async throws {
        // A control: an attempt that fails without a sandbox would prove nothing.
        let free = try await Self.probe("none", attempt.name, attempt.target)
        if attempt.mayBeForbiddenToAll, free != "escaped" {
            try Test.cancel("this machine refuses \(attempt.name) to everybody: \(free)")
        }
        #expect(free == "escaped")
        var layers = attempt.layers
        if linux_landlock_version() < attempt.landlock { layers.remove(.landlock) }
        for layers in ["all"] + layers.map(\.rawValue).sorted() {
            let held = try await Self.probe(layers, attempt.name, attempt.target)
            #expect(attempt.errors.contains(held), "\(layers): \(held)")
        }
    }

    @Test("prevents creating files")
    func newFile() async throws {
        try await withTemporaryDirectory { directory in
            for layers in ["all", "seccomp", "landlock"] {
                let held = try await Self.probe(layers, "write-file", directory + "/\(layers)")
                #expect(["EPERM", "EACCES"].contains(held), "\(layers): \(held)")
                #expect(access(directory + "/\(layers)", F_OK) != 0)
            }
            let free = try await Self.probe("none", "write-file", directory + "/none")
            #expect(free == "escaped")
        }
    }

    @Test("prevents connecting to servers, over TCP or a Unix socket")
    func connections() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                && getsockname(listener, pointer, &length) == 0
        }
        try #require(isBound)
        let port = String(UInt16(bigEndian: address.sin_port))
        for (layers, expected) in [("none", "escaped"), ("all", "EPERM"), ("seccomp", "EPERM")] {
            let found = try await Self.probe(layers, "connect-tcp", port)
            #expect(found == expected, "TCP, \(layers)")
        }
        let path = try await ThrowawayCluster.shared.server().socketDirectory + "/.s.PGSQL.5432"
        for (layers, expected) in [("none", "escaped"), ("all", "EPERM"), ("seccomp", "EPERM")] {
            let found = try await Self.probe(layers, "connect-unix", path)
            #expect(found == expected, "Unix, \(layers)")
        }
    }

    @Test("kills endless loops, and keeps a lower memory limit in force")
    func resources() async throws {
        let spun = try await Self.probe("all", "spin", "20")
        #expect(spun == "signal \(SIGXCPU)")
        let spunAlone = try await Self.probe("limits", "spin", "20")
        #expect(spunAlone == "signal \(SIGXCPU)")
        let raised = try await Self.probe("limits", "raise-limit", "-")
        #expect(raised == "EPERM")
    }

    @Test("allows the threads that decoders need")
    func threads() async throws {
        let started = try await Self.probe("all", "start-thread", "-")
        #expect(started == "escaped")
    }

    @Test("is complete on this machine, and a pool that requires it works")
    func complete() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, requiresSandbox: true)
        let sandbox = try await pool.prove()
        #expect(sandbox.isComplete && sandbox.gaps.isEmpty, "\(sandbox)")
        let verdict = try await render(PhotoFixture.jpeg(width: 900, height: 700), pool: pool)
        #expect(verdict.rejection == nil)
        await pool.shutdown()
    }

    @Test("lets libvips compile its loops: the pixels equal those of an unconfined process")
    func vectorCode() async throws {
        let photo = PhotoFixture.jpeg(width: 1731, height: 1293)
        let confined = try await render(photo).outputs
        try await withTemporaryDirectory { directory in
            let input = directory + "/photo.jpg"
            try Data(photo).write(to: URL(filePath: input))
            func unconfined(_ environment: [String: String]) async throws -> [[UInt8]] {
                try await ChildProgram(
                    Self.program, ["none", "render", input],
                    environment: ChildProgram.plainEnvironment.merging(environment) { $1 }
                ).runSuccessfully()
                return confined.indices.map { SharedData.contents("\(input).\($0)") ?? [] }
            }
            let free = try await unconfined([:])
            let scalar = try await unconfined(["VIPS_NOVECTOR": "1"])
            let isSame = confined == free
            #expect(isSame)
            let differs = free != scalar
            #expect(differs, "it shows nothing where both ways give the same pixels")
        }
    }
}
