package import Arguments
import Glibc

extension CommandTree {
    /// Runs what this process was started with, and exits with its code.
    package func runProcess() async -> Never {
        // A reader that goes away, such as `| head`, ends the command by an error of write, not a signal.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }
}
