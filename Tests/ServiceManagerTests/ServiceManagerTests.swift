import Glibc
import ServiceManager
import Synchronization
import Testing

/// Each test is a process of its own, because what it sets is the environment.
@Suite("The service manager", .timeLimit(.minutes(1)))
struct ServiceManagerTests {
    @Test("is told readiness, status and stopping")
    func messages() async {
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket()
            let manager = ServiceManager { Issue.record($0) }
            #expect(manager.isSupervised)
            await manager.ready(status: "4 jobs at once")
            #expect(try socket.receive() == "READY=1\nSTATUS=4 jobs at once")
            await manager.status("two\nlines\r\nREADY=0")
            #expect(try socket.receive() == "STATUS=two lines READY=0")
            await manager.stopping(within: .milliseconds(25_500), status: "2 jobs left")
            #expect(try socket.receive() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=25500000\nSTATUS=2 jobs left")
        }
    }

    @Test("gets signs of life while the process is alive, and none when it is not")
    func watchdog() async {
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket()
            setenv("WATCHDOG_USEC", "20000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            let manager = ServiceManager { Issue.record($0) }
            #expect(manager.watchdogInterval == .milliseconds(20))
            let life = Life()
            await withTaskGroup { group in
                group.addTask {
                    await manager.keepAlive {
                        life.asked.add(1, ordering: .relaxed)
                        return life.goesOn.load(ordering: .relaxed)
                    }
                }
                for _ in 1...3 { #expect((try? socket.receive()) == "WATCHDOG=1") }
                life.goesOn.store(false, ordering: .relaxed)
                let before = life.asked.load(ordering: .relaxed)
                while life.asked.load(ordering: .relaxed) < before + 4 { await Task.yield() }
                // What was sent while it still lived.
                while socket.receiveIfAny() != nil {}
                let later = life.asked.load(ordering: .relaxed)
                while life.asked.load(ordering: .relaxed) < later + 3 { await Task.yield() }
                #expect(socket.receiveIfAny() == nil)
                group.cancelAll()
            }
        }
    }

    @Test("does not watch where the interval is another process's or not set")
    func noWatchdog() async {
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket()
            #expect(ServiceManager { Issue.record($0) }.watchdogInterval == nil)
            setenv("WATCHDOG_USEC", "20000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            let manager = ServiceManager { Issue.record($0) }
            #expect(manager.watchdogInterval == nil)
            await manager.keepAlive { true }
            #expect(socket.receiveIfAny() == nil)
        }
    }

    @Test("is not missed where there is none")
    func unsupervised() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            setenv("WATCHDOG_USEC", "20000", 1)
            let manager = ServiceManager { Issue.record($0) }
            #expect(!manager.isSupervised)
            #expect(manager.watchdogInterval == nil)
            await manager.ready(status: "")
            await manager.keepAlive { true }
            await manager.stopping(within: .seconds(1), status: "")
        }
    }

    @Test("that cannot be reached is reported, and so is a malformed watchdog")
    func failures() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            setenv("WATCHDOG_USEC", "soon", 1)
            let failures = Mutex<[ServiceManagerError]>([])
            let manager = ServiceManager { failure in failures.withLock { $0.append(failure) } }
            await manager.ready(status: "")
            #expect(
                failures.withLock { $0.map(\.code) } == [.malformedWatchdog, .notSent])
            #expect(failures.withLock { $0.last?.errorNumber } == ENOENT)
            #expect(failures.withLock { $0.last?.description.contains("NOTIFY_SOCKET") } == true)
        }
    }
}

/// Whether the process is alive, and how often that was asked.
private final class Life: Sendable {
    let goesOn = Atomic(true)
    let asked = Atomic(0)
}

/// The supervisor's end, at `$NOTIFY_SOCKET` of this process.
private final class NotifySocket: Sendable {
    private let descriptor: Int32
    private let path: String

    struct Failure: Error { let number: Int32 }

    init() throws {
        path = "/tmp/darkroom-notify-\(getpid())"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A message that never comes fails the test instead of hanging it.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress!, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure(number: errno) }
        setenv("NOTIFY_SOCKET", path, 1)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func receive() throws -> String {
        guard let message = receive(0) else { throw Failure(number: errno) }
        return message
    }

    func receiveIfAny() -> String? { receive(Int32(MSG_DONTWAIT)) }

    private func receive(_ flags: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, flags)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
