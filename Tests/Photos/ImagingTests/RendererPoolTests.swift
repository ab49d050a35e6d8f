import ChildProcess
import FoundationEssentials
import Glibc
import Rendering
import TestKit
import Testing
import Threads

@testable import Imaging

/// Renderers that die, hang or lie: only their photo fails, and the next photo works.
@Suite(.computing, .timeLimit(.minutes(15))) struct RendererPoolTests {
    private func limits(seconds: Double) -> RenderLimits {
        var limits = RenderLimits.patient
        limits.wallClockSeconds = seconds
        return limits
    }

    /// Gives a photo to a renderer that the test has stopped.
    /// - Parameter act: What happens once the renderer has the photo. Without it, the pool alone ends the wait.
    private func renderOnStopped(
        _ pool: RendererPool, then act: ((Int32, Task<RenderVerdict, any Error>) -> Void)? = nil
    ) async throws -> Result<RenderVerdict, any Error> {
        try await until("a renderer has started") { pool.statistics.processes.count == 1 }
        let process = pool.statistics.processes[0]
        kill(process, SIGSTOP)
        let file = ScratchFile(PhotoFixture.jpeg(width: 16, height: 16))
        let task = Task { try await pool.render(input: file.descriptor, outputs: [], recipe: .standard) }
        if let act {
            try await until("the photo is with the renderer") { pool.statistics.inFlight == 1 }
            act(process, task)
        }
        return await task.result
    }

    private func expectNextPhotoWorks(
        _ pool: RendererPool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let next = try await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
        #expect(next.rejection == nil, sourceLocation: sourceLocation)
    }

    @Test func aKilledRendererCostsOnlyItsPhoto() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient)
        let result = try await renderOnStopped(pool) { process, _ in kill(process, SIGKILL) }
        let error = #expect(throws: RendererError.self) { try result.get() }
        #expect(error?.isKill == true && error?.suspectsPhoto == false)
        try await expectNextPhotoWorks(pool)
        await pool.shutdown()
    }

    @Test func aRendererKilledWhileIdleCostsNothing() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient)
        try await until("a renderer has started") { pool.statistics.processes.count == 1 }
        let process = pool.statistics.processes[0]
        kill(process, SIGKILL)
        // It stays a zombie until the pool checks it.
        try await until("the renderer has died") { Self.state(of: process) == "Z" }
        try await expectNextPhotoWorks(pool)
        await pool.shutdown()
    }

    @Test func theDeadlineKillsTheRenderer() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits(seconds: 0.2))
        let result = try await renderOnStopped(pool)
        let error = #expect(throws: RendererError.self) { try result.get() }
        #expect(error?.code == .deadline)
        await pool.shutdown()
        #expect(pool.statistics.processes.isEmpty)
    }

    @Test("a photo whose renderer the machine does not let compute is not at fault")
    func starved() async throws {
        let core = try #require(UsableCores.allowed()?.first)
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits(seconds: 2))
        try await until("a renderer has started") { pool.statistics.processes.count == 1 }
        // The renderer may compute only while nothing else wants its core, and something else always does: for a minute, should
        // nobody be left to end it.
        let rival = try ChildProgram(
            "/usr/bin/taskset", ["-c", "\(core)", "/bin/sh", "-c", "ulimit -t 60; while :; do :; done"]
        ).start()
        for command in [["taskset", "-a", "-p", "-c", "\(core)"], ["chrt", "-a", "-i", "-p", "0"]] {
            _ = try await ChildProgram(
                "/usr/bin/\(command[0])", command.dropFirst() + ["\(pool.statistics.processes[0])"]
            ).runSuccessfully()
        }
        let error = await #expect(throws: RendererError.self) {
            try await render(PhotoFixture.jpeg(width: 4000, height: 3000), pool: pool)
        }
        #expect(error?.code == .starved, "\(error as Any)")
        #expect(error?.suspectsPhoto == false && error?.suspectsMachine == true)
        rival.send(SIGKILL)
        _ = try await rival.end()
        await pool.shutdown()
    }

    @Test("a renderer that chooses the moments at which it is looked at is as idle as it is")
    func feigned() async throws {
        // It writes before it computes for a thousandth of a second, and then does nothing for fifty.
        let program = """
            import sys, time
            while True:
                sys.stdout.write("x"); sys.stdout.flush()
                end = time.process_time() + 0.001
                while time.process_time() < end: pass
                time.sleep(0.05)
            """
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = try ChildProgram("/usr/bin/python3", ["-c", program]).start(output: ends[1])
        defer { for end in ends { close(end) } }
        var byte: UInt8 = 0
        try #require(read(ends[0], &byte, 1) == 1)
        let before = try Self.usedSeconds(child.process)
        var watch = ProgressWatch(process: child.process, cpuSeconds: 0)
        while watch.seconds < 3, read(ends[0], &byte, 1) == 1 { watch.look() }
        // What it waited for a busy machine is not idle.
        let idle = try watch.seconds - (Self.usedSeconds(child.process) - before)
        child.send(SIGKILL)
        _ = try await child.end()
        #expect(watch.idleSeconds > idle * 0.7, "\(watch.idleSeconds) of \(idle) s")
    }

    /// For which a process with one thread computed or waited for a processor.
    private static func usedSeconds(_ process: pid_t) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
        return text.split(separator: " ").prefix(2).compactMap { Double($0) }.reduce(0, +) / 1e9
    }

    @Test("the kernel kills a renderer before it kills the worker, if memory is short")
    func killedFirst() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient)
        try await until("a renderer has started") { pool.statistics.processes.count == 1 }
        for process in pool.statistics.processes + pool.statistics.zygotes {
            let score = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
            #expect(score == "\(RendererService.killScore)\n")
        }
        await pool.shutdown()
    }

    @Test("a renderer that does nothing is killed before the whole time is over")
    func idle() async throws {
        var limits = RenderLimits.patient
        limits.idleSeconds = 0.3
        limits.wallClockSeconds = 3600
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        let result = try await renderOnStopped(pool)
        let error = #expect(throws: RendererError.self) { try result.get() }
        #expect(error?.code == .deadline && error?.suspectsPhoto == true)
        await pool.shutdown()
    }

    @Test func cancellingKillsTheRenderer() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient)
        let result = try await renderOnStopped(pool) { _, task in task.cancel() }
        #expect(throws: CancellationError.self) { try result.get() }
        try await expectNextPhotoWorks(pool)
        await pool.shutdown()
    }

    @Test func aRendererIsReplacedAfterItsPhotos() async throws {
        var retirement = RendererPool.Retirement(.pool)
        retirement.photos = 2
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient, retirement: retirement)
        for _ in 0..<5 { try await expectNextPhotoWorks(pool) }
        await pool.shutdown()
        #expect(pool.statistics.started == 3)
    }

    @Test func manyPhotosShareTheSlots() async throws {
        let bytes = PhotoFixture.jpeg(width: 16, height: 16)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<24 { group.addTask { try await render(bytes).rejection == nil } }
            for try await isAccepted in group { #expect(isAccepted) }
        }
    }

    @Test func aClosedPoolRefuses() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 2, limits: .patient)
        await pool.shutdown()
        await pool.shutdown()
        let error = await #expect(throws: RendererError.self) {
            try await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
        }
        #expect(error?.code == .closed)
    }

    // MARK: - Renderers that have been taken over

    @Test(
        arguments: [
            ("garbage", "decode"), ("much", "131072"), ("invent", "bytes"), ("lie", "impossible failure"),
        ])
    func aWrongReplyIsAProtocolViolation(order: String, says: String) async throws {
        try await Escapee.with("all") { escapee in
            let error = try await escapee.failure(order)
            #expect(error.code == .protocolViolation && error.message.contains(says), "\(error)")
        }
    }

    @Test func itsLastWordsAreKeptAndNotTheNextOnes() async throws {
        try await Escapee.with("all") { escapee in
            let error = try await escapee.failure("die heap corrupted")
            #expect(error.code == .exited(status: 7) && error.diagnostics == "heap corrupted")
            let next = try await escapee.failure("garbage")
            #expect(next.diagnostics.isEmpty)
        }
    }

    @Test(arguments: RendererPool.Isolation.allCases)
    func aRendererSeesThePhotosOfItsIsolation(isolation: RendererPool.Isolation) async throws {
        try await Escapee.with("all", isolation: isolation) { escapee in
            let numbers = try await [escapee.attempt("count"), escapee.attempt("count")]
            #expect(numbers == (isolation == .photo ? ["1", "1"] : ["1", "2"]))
        }
    }

    @Test(arguments: RendererPool.Isolation.allCases)
    func aRendererThatGoesOnAfterItsReplyDoesNot(isolation: RendererPool.Isolation) async throws {
        try await Escapee.with("all", isolation: isolation) { escapee in
            let process = try await escapee.processes().renderers[0]
            let reply = try await escapee.attempt("linger")
            #expect(reply == "done")
            try await until("it is stopped or gone") {
                isolation == .photo ? Self.state(of: process) == nil : Self.state(of: process) == "T"
            }
        }
    }

    /// The letter of proc(5); nil if there is no such process.
    private static func state(of process: Int32) -> Character? {
        let text = String(decoding: SharedData.contents("/proc/\(process)/stat") ?? [], as: UTF8.self)
        return text.split(separator: ")").last?.first { $0 != " " }
    }

    // MARK: - Programs that are not renderers

    private func outcome(
        ofScript lines: String..., requiresSandbox: Bool = false
    ) async throws -> RendererError? {
        try await withTemporaryDirectory { (directory: String) async throws -> RendererError? in
            let script = "#!/bin/sh\n" + lines.joined(separator: "\n") + "\n"
            try await writeProgram(Array(script.utf8), to: directory + "/renderer")
            let pool = RendererPool(
                executable: directory + "/renderer", size: 1, limits: .patient,
                requiresSandbox: requiresSandbox)
            let error = await #expect(throws: RendererError.self) {
                try await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
            }
            await pool.shutdown()
            return error
        }
    }

    @Test func aProgramThatForksNothingCannotStart() async throws {
        // It names a process that is not a child of the coordinator, which must not be killed.
        let error = try await outcome(ofScript: #"printf '{"process":1}' >&3"#, "exec sleep 60")
        #expect(error?.code == .cannotStart && error?.message.contains("fork") == true, "\(error as Any)")
    }

    @Test func aSandboxWithGapsIsRefusedWhereItIsRequired() async throws {
        let error = try await outcome(
            ofScript: "exec '\(Escapee.program)' seccomp,limits \"$@\"", requiresSandbox: true)
        #expect(error?.code == .unconfined)
        #expect(error?.message.contains("landlock (not applied)") == true, "\(error?.message ?? "")")
    }

    @Test func sendingToTheDeadIsAnErrorNotASignal() throws {
        var pair: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        close(pair[1])
        defer { close(pair[0]) }
        #expect(throws: MessageSocket.Failure.self) {
            try MessageSocket(descriptor: pair[0]).send(["a message"])
        }
    }

    @Test func theRendererHoldsNothingOfTheCoordinator() async throws {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: .patient)
        _ = try await pool.prove()
        let process = pool.statistics.zygotes[0]
        let environment = SharedData.contents("/proc/\(process)/environ") ?? []
        let names = environment.split(separator: 0).map {
            String(decoding: $0.prefix { $0 != 0x3D }, as: UTF8.self)
        }
        // The C library splits its own variable.
        #expect(
            Set(names.filter { !$0.hasPrefix("glibc.") }).isSubset(of: [
                "LC_ALL", "VIPS_CONCURRENCY", "VIPS_BLOCK_UNTRUSTED", "GLIBC_TUNABLES",
            ]))
        let status = String(decoding: SharedData.contents("/proc/\(process)/status") ?? [], as: UTF8.self)
        #expect(status.contains("NoNewPrivs:\t1"))
        func targets(_ kind: String) -> [String] {
            (0..<64).compactMap { number in
                var buffer = [UInt8](repeating: 0, count: 256)
                let length = buffer.withUnsafeMutableBytes {
                    readlink("/proc/\(process)/fd/\(number)", $0.baseAddress!, $0.count)
                }
                return length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : nil
            }.filter { $0.hasPrefix(kind) }
        }
        // For a moment it has the socket of the next renderer, which it starts before there is a photo for it.
        try await until("it has one socket") { targets("socket:").count == 1 }
        let others = targets("").filter { target in
            !["socket:", "pipe:", "/dev/null", "/proc/\(process)/task"].contains { target.hasPrefix($0) }
        }
        #expect(others.isEmpty, "\(others)")
        await pool.shutdown()
    }
}
