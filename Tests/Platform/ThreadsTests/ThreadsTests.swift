import Glibc
import Testing
import Threads

@Suite("One of our threads", .timeLimit(.minutes(15)))
struct ThreadsTests {
    private struct Fault: Error {}

    @Test("has its name, and leaves signals to others, except those of a crash")
    func facts() async throws {
        let (name, blocked) = await withCheckedContinuation { continuation in
            try! startThread(named: "a-name", stackBytes: 1 << 18) {
                var name = [UInt8](repeating: 0, count: 16)
                let file = open("/proc/thread-self/comm", O_RDONLY)
                let length = read(file, &name, name.count)
                close(file)
                var mask = sigset_t()
                pthread_sigmask(SIG_SETMASK, nil, &mask)
                let blocked = [SIGTERM, SIGINT, SIGXFSZ, SIGPIPE, SIGSEGV, SIGABRT].map {
                    sigismember(&mask, $0) == 1
                }
                continuation.resume(returning: (name.prefix(length), blocked))
            }
        }
        #expect(String(decoding: name, as: UTF8.self) == "a-name\n")
        #expect(blocked == [true, true, true, true, false, false])
    }

    @Test("does not change the signal mask of its creator")
    func maskStays() throws {
        func mask() -> [Bool] {
            var set = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &set)
            return (1...31).map { sigismember(&set, $0) == 1 }
        }
        let before = mask()
        try startThread(named: "nothing") {}
        #expect(mask() == before)
    }

    @Test("returns its result or its error")
    func results() async throws {
        #expect(try await onThread { 6 * 7 } == 42)
        await #expect(throws: Fault.self) { try await onThread { throw Fault() } }
        let isElsewhere = try await onThread { pthread_self() } != pthread_self()
        #expect(isElsewhere)
    }

    @Test("reports that the system cannot create one")
    func refused() {
        #expect(throws: ThreadError.self) { try startThread(named: "huge", stackBytes: 1 << 50) {} }
    }

    @Test("waits for a semaphore once per signal")
    func semaphore() async throws {
        let (there, back) = (Semaphore(), Semaphore())
        let counting = Task {
            try await onThread {
                for _ in 0..<100 {
                    there.wait()
                    back.signal()
                }
                return true
            }
        }
        try await onThread {
            for _ in 0..<100 {
                there.signal()
                back.wait()
            }
        }
        #expect(try await counting.value)
    }
}
