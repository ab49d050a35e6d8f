package import Arguments
import Digests
import Glibc

extension CommandTree {
    /// Runs the command that this process was started with, and exits with its code.
    package func runProcess() async -> Never {
        // When a reader such as `| head` is gone, the command must see a write error, not die from a signal.
        signal(SIGPIPE, SIG_IGN)
        Libcrypto.keepUntilTheEnd()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            let files = try InstalledSettings.load(arguments)
            if !files.isEmpty, Terminal.isTerminal(STDERR_FILENO) {
                Output.note("settings of \(files.joined(separator: " and "))")
            }
        } catch {
            Output.note("darkroom: \(error)")
            exit(1)
        }
        exit(await run(arguments))
    }
}
