import ChildProcess
import Glibc
import Testing

@Suite("A running program", .timeLimit(.minutes(15)))
struct RunningProgramTests {
    private let sleep = ChildProgram("/bin/sleep", ["600"])

    @Test("is killed and reaped once nothing refers to it, even if it is stopped", arguments: [true, false])
    func released(isStopped: Bool) throws {
        var process: Int32 = 0
        do {
            let program = try sleep.start()
            process = program.process
            if isStopped { program.send(SIGSTOP) }
        }
        // It is not even a zombie.
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test("tells everybody how it ended, and gets no signal afterwards")
    func ended() async throws {
        let program = try sleep.start()
        async let first = program.end()
        async let second = program.end()
        program.send(SIGTERM)
        #expect(try await [first, second] == [.killed(signal: SIGTERM), .killed(signal: SIGTERM)])
        program.send(SIGKILL)
        #expect(try await program.end() == .killed(signal: SIGTERM))
        #expect(try await ChildProgram("/bin/sh", ["-c", "exit 7"]).start().end() == .exited(7))
    }

    @Test("ends when the task that runs it is cancelled")
    func cancelled() async throws {
        let run = Task { [sleep] in try await sleep.run() }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }
}
