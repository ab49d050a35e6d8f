import CLinux
import Glibc

/// The socket and the standard error of a process that is about to start, with both ends.
struct RendererLink {
    let socket: CInt
    let errorOutput: CInt
    let theirSocket: CInt
    let theirErrorOutput: CInt

    /// - Parameter executable: for the error.
    init(_ executable: String) throws(RendererError) {
        var pair: [CInt] = [-1, -1]
        let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw Self.failure(executable, errno) }
        var pipes: [CInt] = [-1, -1]
        guard linux_open_pipe(&pipes) == 0 else {
            let error = errno
            for end in pair { close(end) }
            throw Self.failure(executable, error)
        }
        (socket, theirSocket) = (pair[0], pair[1])
        (errorOutput, theirErrorOutput) = (pipes[0], pipes[1])
    }

    /// At once: while this process holds them, it does not see that the other one has gone.
    func closeTheirs() {
        close(theirSocket)
        close(theirErrorOutput)
    }

    func closeOurs() {
        close(socket)
        close(errorOutput)
    }

    /// The error of a program that the system did not start.
    static func failure(_ executable: String, _ number: CInt) -> RendererError {
        let advice =
            switch number {
            case ENOENT, ENOTDIR:
                "Install darkroom-renderer there, or set DARKROOM_RENDERER to its path."
            case EACCES, EPERM: "Make it executable for this user: chmod a+rx \(executable)"
            case ENOEXEC, ELIBBAD: "It is not a program for this machine: install the one of this release."
            case EMFILE, ENFILE: "Raise the limit of open files: ulimit -n, or LimitNOFILE under systemd."
            default: "Free memory, or raise the limit of processes: ulimit -u, or TasksMax under systemd."
            }
        return RendererError(
            .cannotStart,
            "The renderer \(executable) cannot be started: \(String(cString: strerror(number))). \(advice)")
    }
}
