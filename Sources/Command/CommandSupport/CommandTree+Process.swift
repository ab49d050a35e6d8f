package import Arguments
import Glibc

extension CommandTree {
    /// Runs the command that this process was started with, and exits with its code.
    package func runProcess() async -> Never {
        // When a reader such as `| head` is gone, the command must see a write error, not die from a signal.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }
}
