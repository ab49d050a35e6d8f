import CLinux
import ChildProcess
import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// A renderer that has been taken over tries every way out: through all layers together, and through each that must stop it.
@Suite("The sandbox", .timeLimit(.minutes(15)))
struct SandboxTests {
    struct Attempt: Sendable, CustomTestStringConvertible {
        let name: String
        /// The layers that each stop it alone.
        let layers: Set<Sandbox.Layer>
        /// The first version of Landlock that refuses it.
        var landlock: CInt = 1
        /// Some machines refuse it to every process, for example containers or those with a stricter ptrace.
        var mayBeForbiddenToAll = false
        /// `WORKER`, `ZYGOTE` and `SIBLING` stand for processes, the latter for the renderer of another slot.
        var target = "-"
        /// The errors of a refusal. A kernel may return any of them.
        var errors: Set<String> = ["EPERM"]
        var testDescription: String { name == "-" ? name : "\(name) \(target)" }
    }

    private static let others = ["WORKER", "ZYGOTE", "SIBLING"]
    private static let unseen: Set<String> = ["EPERM", "ESRCH"]
    private static let unread: Set<String> = ["EPERM", "EACCES"]

    static let attempts =
        [
            Attempt(name: "read-file", layers: [.seccomp, .landlock], target: "/etc/passwd", errors: unread),
            Attempt(
                name: "read-file", layers: [.seccomp, .landlock], target: "/usr/bin/env", errors: unread),
            Attempt(
                name: "read-file", layers: [.seccomp, .landlock], mayBeForbiddenToAll: true,
                target: "/proc/ZYGOTE/mem", errors: unread),
            Attempt(name: "look-at-path", layers: [.seccomp], target: "/etc/passwd"),
            Attempt(name: "execute", layers: [.seccomp, .landlock], errors: unread),
            Attempt(name: "fork", layers: [.seccomp]),
            Attempt(name: "new-namespace", layers: [.seccomp], mayBeForbiddenToAll: true),
            Attempt(name: "make-ring", layers: [.seccomp], mayBeForbiddenToAll: true),
            Attempt(name: "send-elsewhere", layers: [.seccomp]),
            Attempt(name: "fill-memory", layers: [.limits], target: "4096", errors: ["ENOMEM"]),
            Attempt(name: "write-much", layers: [.limits], target: "RENDITION 64", errors: ["EFBIG"]),
            Attempt(name: "start-threads", layers: [.threads], target: "200", errors: ["EAGAIN"]),
        ]
        + others.flatMap { target in
            [
                Attempt(
                    name: "trace", layers: [.seccomp, .landlock, .namespaces], mayBeForbiddenToAll: true,
                    target: target, errors: unseen),
                Attempt(
                    name: "read-memory", layers: [.seccomp, .landlock, .namespaces],
                    mayBeForbiddenToAll: true, target: target, errors: unseen),
                // Linux 6.12.
                Attempt(
                    name: "send-signal", layers: [.seccomp, .landlock, .namespaces], landlock: 6,
                    target: target, errors: unseen),
                Attempt(
                    name: "limit-other", layers: [.seccomp, .namespaces], target: target, errors: unseen),
            ]
        } + [
            Attempt(name: "send-signal", layers: [.seccomp, .namespaces], target: "-1", errors: unseen)
        ]

    @Test(
        "refuses each way out that is open without it, by all layers and by each alone", arguments: attempts)
    func wayOut(_ attempt: Attempt) async throws {
        // A control: an attempt that fails without a sandbox would prove nothing.
        let free = try await Self.probe("none", attempt)
        if attempt.mayBeForbiddenToAll, free != "escaped" {
            try Test.cancel("this machine refuses \(attempt.name) to everybody: \(free)")
        }
        #expect(free == "escaped")
        var layers = attempt.layers
        if linux_landlock_version() < attempt.landlock { layers.remove(.landlock) }
        if let obstacle = await UserNamespaces.obstacle() {
            // The others need a user namespace.
            layers = layers.filter(\.isRequired)
            if layers.isEmpty { try Test.cancel(Comment(rawValue: obstacle)) }
        }
        for layers in ["all"] + layers.map(\.rawValue).sorted() {
            let held = try await Self.probe(layers, attempt)
            #expect(attempt.errors.contains(held), "\(layers): \(held)")
        }
    }

    private static func probe(_ layers: String, _ attempt: Attempt) async throws -> String {
        var result = ""
        try await Escapee.with(layers) { escapee in
            var target = attempt.target
            if target.contains("ZYGOTE") {
                target.replace("ZYGOTE", with: "\(try await escapee.processes().zygotes[0])")
            }
            target.replace("WORKER", with: "\(getpid())")
            guard target == "SIBLING" else {
                result = try await escapee.attempt(attempt.name, target)
                return
            }
            try await Escapee.with(layers) { sibling in
                let process = try await sibling.processes().renderers[0]
                result = try await escapee.attempt(attempt.name, "\(process)")
            }
        }
        return result
    }

    /// What becomes of an attempt on something that the test makes.
    private static func expect(
        _ name: String, _ target: String, _ outcomes: [(layers: String, errors: Set<String>)]
    ) async throws {
        for (layers, errors) in outcomes {
            if layers == "namespaces", await !UserNamespaces.areAllowed() { continue }
            try await Escapee.with(layers) { escapee in
                let found = try await escapee.attempt(name, target)
                #expect(errors.contains(found), "\(name), \(layers): \(found)")
            }
        }
    }

    @Test("prevents creating files")
    func newFile() async throws {
        try await withTemporaryDirectory { (directory: String) async throws -> Void in
            #expect(chmod(directory, 0o777) == 0)
            for layers in ["all", "seccomp", "landlock"] {
                try await Self.expect("write-file", directory + "/\(layers)", [(layers, Self.unread)])
                #expect(access(directory + "/\(layers)", F_OK) != 0)
            }
            try await Self.expect("write-file", directory + "/none", [("none", ["escaped"])])
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
        try await Self.expect(
            "connect-tcp", String(UInt16(bigEndian: address.sin_port)),
            [
                ("none", ["escaped"]), ("all", ["EPERM"]), ("seccomp", ["EPERM"]),
                ("namespaces", ["ENETUNREACH"]),
            ])
        let path = try await ThrowawayCluster.shared.server().socketDirectory + "/.s.PGSQL.5432"
        try await Self.expect(
            "connect-unix", path, [("none", ["escaped"]), ("all", ["EPERM"]), ("seccomp", ["EPERM"])])
    }

    @Test("prevents attaching memory that others share")
    func sharedMemory() async throws {
        let segment = shmget(IPC_PRIVATE, 4096, 0o666)
        try #require(segment >= 0)
        defer { shmctl(segment, IPC_RMID, nil) }
        try await Self.expect(
            "attach-memory", "\(segment)",
            [
                ("none", ["escaped"]), ("all", ["EPERM"]), ("seccomp", ["EPERM"]),
                ("namespaces", ["EINVAL", "EIDRM"]),
            ])
    }

    @Test("leaves it no descriptor but its socket and the photo's files")
    func descriptors() async throws {
        // Every isolation lets go of what the zygote has.
        for isolation in RendererPool.Isolation.allCases {
            try await Escapee.with("none", isolation: isolation) { escapee in
                for _ in 0..<2 {
                    let found = try await escapee.attempt("find-descriptor", "PHOTO RENDITION")
                    #expect(found == "EBADF")
                }
            }
        }
    }

    @Test("kills endless loops, and keeps lower limits in force")
    func resources() async throws {
        var limits = RenderLimits.patient
        limits.cpuSeconds = -1
        // No deadline: it is the limit that must end them.
        limits.wallClockSeconds = 3600
        let cases: [(String, RendererPool.Isolation)] = [
            ("all", .photo), ("none", .pool), ("limits", .photo), ("limits,namespaces", .photo),
            ("all", .pool),
        ]
        for (layers, isolation) in cases.prefix(Extent.of(2, check: cases.count)) {
            try await Escapee.with(layers, isolation: isolation, limits: limits) { escapee in
                let error = try await escapee.failure("spin 3600")
                // The kernel kills the first process of a namespace with SIGKILL. Nobody else did, so the photo is to blame.
                #expect(error.code == .crashed(signal: SIGXCPU) && error.suspectsPhoto, "\(layers): \(error)")
                #expect(error.message.contains("CPU time"), "\(layers): \(error)")
            }
        }
        try await Self.expect("raise-limit", "-", [("limits", ["EPERM"]), ("all", ["EPERM"])])
    }

    @Test("allows the threads that decoders need")
    func threads() async throws {
        try await Self.expect("start-threads", "24", [("all", ["escaped"])])
    }

    @Test("is complete on this machine, and a pool that requires it works", .userNamespaces)
    func complete() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient, requiresSandbox: true)
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
        func unconfined(_ setup: String) async throws -> [[UInt8]] {
            try await withTemporaryDirectory { (directory: String) async throws -> [[UInt8]] in
                let path = directory + "/renderer"
                let script = "#!/bin/sh\n\(setup)\nexec '\(Escapee.program)' serve \"$@\"\n"
                try await writeProgram(Array(script.utf8), to: path)
                let pool = RendererPool(executable: path, size: 1, limits: .patient)
                let outputs = try await render(photo, pool: pool).outputs
                await pool.shutdown()
                return outputs
            }
        }
        let free = try await unconfined("")
        let scalar = try await unconfined("export VIPS_NOVECTOR=1")
        let isSame = confined == free
        #expect(isSame)
        let differs = free != scalar
        #expect(differs, "it shows nothing where both ways give the same pixels")
    }
}
