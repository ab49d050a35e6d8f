import FoundationEssentials
import Glibc

/// The processes of a PostgreSQL server.
struct ServerProcesses: Sendable {
    let postmaster: Int32

    /// Stops the postmaster and every other process of the server.
    func freeze() {
        kill(postmaster, SIGSTOP)
        // The postmaster may have been about to fork.
        for _ in 1...2 { for process in ProcessTree.children(of: postmaster) { kill(process, SIGSTOP) } }
    }

    func resume() {
        for process in ProcessTree.children(of: postmaster) + [postmaster] { kill(process, SIGCONT) }
    }

    /// Ends every process at once, as when the machine loses its power.
    func killAll() {
        // First, so that it starts no others and sees none die.
        kill(postmaster, SIGSTOP)
        for _ in 1...2 { for process in ProcessTree.children(of: postmaster) { kill(process, SIGKILL) } }
        kill(postmaster, SIGKILL)
    }
}

/// What /proc tells of processes.
enum ProcessTree {
    /// The children of all threads of a process.
    static func children(of process: Int32) -> [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.flatMap { thread in
            let list =
                FileManager.default.contents(atPath: "/proc/\(process)/task/\(thread)/children") ?? Data()
            return String(decoding: list, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// Children, grandchildren and so on, parents first.
    static func descendants(of process: Int32) -> [Int32] {
        children(of: process).flatMap { [$0] + descendants(of: $0) }
    }
}
