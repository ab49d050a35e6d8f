import CLinux
import Glibc
import Imaging

/// The renderer's side of the protocol. The program that the coordinator starts becomes the zygote: it loads the libraries,
/// confines itself, and forks a renderer whenever the coordinator asks for one. It never reads a photo.
///
/// A renderer has a socket that was made for it alone, and nothing on which the photo of another one will ever come.
package enum RendererService {
    /// The descriptor of the socket to the coordinator, in both.
    package static let socket: CInt = 3

    /// Runs the zygote, and in each process that it forks a renderer. Returns the exit status.
    ///
    /// - Parameters:
    ///   - parent: the coordinator's process identifier.
    ///   - confinement: for tests, which take layers away.
    ///   - work: what a renderer does; for tests, which have it do worse.
    package static func run(
        parent: Int32, confinement: Confinement = Confinement(),
        work: (RendererSession) throws -> Void = { try $0.serve() }
    ) -> CInt {
        var confinement = confinement
        offerToBeKilled()
        // While it can be opened.
        let threads = linux_open_thread_list()
        do {
            try confinement.holdZygote()
            _ = linux_set_parent_death_signal(SIGKILL)
            // The parent may have died before the signal was set.
            guard getppid() == parent else { return 1 }
            try PhotoRenderer.start()
            confinement.filterZygote(socket: Self.socket)
            let socket = MessageSocket(descriptor: Self.socket)
            while true {
                let (order, descriptors) = try socket.receive(RendererOrder.self)
                guard descriptors.count == 2 else { throw Self.failure("Descriptors are missing.") }
                // A lock that another thread holds would stay locked in the child.
                let count = linux_count_threads(threads)
                guard count == 1 else { throw Self.failure("The zygote has \(count) threads.") }
                let child = try fork(&confinement)
                guard child > 0 else {
                    close(threads)
                    adopt(descriptors)
                    end { try work(RendererSession(confinement, photos: order.photos)) }
                }
                for descriptor in descriptors { close(descriptor) }
                try socket.send(RendererBirth(process: child))
            }
        } catch let failure as MessageSocket.Failure {
            if case .closed = failure.code { return 0 }
            complain(failure.message)
        } catch {
            complain("\(error)")
        }
        return 1
    }

    /// If memory is short, the kernel shall kill a renderer, which costs one photo a wait, and not the worker, which has a little
    /// more memory and all photos. Renderers inherit this. See proc(5).
    private static func offerToBeKilled() {
        let score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard score >= 0 else { return }
        let bytes = Array("\(killScore)\n".utf8)
        _ = Glibc.write(score, bytes, bytes.count)
        close(score)
    }

    /// In thousandths of the memory that there is: as if a renderer had half of it more.
    package static let killScore = 500

    private static func failure(_ text: String) -> RendererError { RendererError(.cannotStart, text) }

    private static func fork(_ confinement: inout Confinement) throws(RendererError) -> pid_t {
        var child = linux_fork_sibling(confinement.ownsNamespaces ? 1 : 0)
        if child < 0, confinement.ownsNamespaces {
            confinement.shareProcesses(because: errno)
            child = linux_fork_sibling(0)
        }
        guard child >= 0 else { throw failure("clone: \(String(cString: strerror(errno))).") }
        return child
    }

    /// Replaces the zygote's socket and standard error by those of a renderer.
    private static func adopt(_ descriptors: [CInt]) {
        for (given, target) in zip(descriptors, [socket, STDERR_FILENO]) {
            guard dup2(given, target) == target else { _exit(121) }
            close(given)
        }
    }

    /// The exit status of a renderer.
    private static func end(_ work: () throws -> Void) -> Never {
        do {
            try work()
            _exit(0)
        } catch let failure as MessageSocket.Failure {
            if case .closed = failure.code { _exit(0) }
            complain(failure.message)
        } catch {
            complain("\(error)")
        }
        // Not `exit`: what the libraries do at their end is nobody's need.
        _exit(1)
    }
}

/// The coordinator quotes the end of this output in its error messages.
private func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = Glibc.write(2, line, line.count)
}
