import Glibc
import ServiceManager
import Synchronization
import TestKit
import Testing

/// Each test runs in a separate process, because it sets the environment.
@Suite("The service manager", .timeLimit(.minutes(15)))
struct ServiceManagerTests {
    @Test("is told readiness, status and stopping")
    func messages() async {
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket.ofThisProcess()
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

    @Test("gets keep-alives while the process is alive, and none when it is not")
    func watchdog() async {
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket.ofThisProcess()
            setenv("WATCHDOG_USEC", "20000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            let manager = ServiceManager { Issue.record($0) }
            #expect(manager.watchdogInterval == .milliseconds(20))
            let life = Life()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await manager.keepAlive {
                        life.asked.add(1, ordering: .relaxed)
                        return life.goesOn.load(ordering: .relaxed)
                    }
                }
                for _ in 1...3 { #expect((try? socket.receive()) == "WATCHDOG=1") }
                life.goesOn.store(false, ordering: .relaxed)
                let before = life.asked.load(ordering: .relaxed)
                while life.asked.load(ordering: .relaxed) < before + 4 {
                    try await Task.sleep(for: .milliseconds(1))
                }
                // Sent while it was still alive.
                while socket.receiveIfAny() != nil {}
                let later = life.asked.load(ordering: .relaxed)
                while life.asked.load(ordering: .relaxed) < later + 3 {
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(socket.receiveIfAny() == nil)
                group.cancelAll()
            }
        }
    }

    @Test("does not watch if the interval is another process's or not set")
    func noWatchdog() async {
        await #expect(processExitsWith: .success) {
            let socket = try NotifySocket.ofThisProcess()
            #expect(ServiceManager { Issue.record($0) }.watchdogInterval == nil)
            setenv("WATCHDOG_USEC", "20000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            let manager = ServiceManager { Issue.record($0) }
            #expect(manager.watchdogInterval == nil)
            await manager.keepAlive { true }
            #expect(socket.receiveIfAny() == nil)
        }
    }

    @Test("is not needed")
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

extension NotifySocket {
    /// At `$NOTIFY_SOCKET` of this process.
    fileprivate static func ofThisProcess() throws -> NotifySocket {
        let path = "/tmp/darkroom-notify-\(getpid())"
        setenv("NOTIFY_SOCKET", path, 1)
        return try NotifySocket(path: path)
    }
}
