package import ChildProcess
import FoundationEssentials

/// Runs Prometheus's `promtool` with the path of a file that has `input` as its last argument, or with `input` as
/// its standard input.
package func promtool(
    _ arguments: [String], input: String, fromStandardInput: Bool = false
) async throws -> Command.Output {
    guard let program = Command.find("promtool") else {
        throw CommandError(
            "promtool is not on the PATH; `make setup` installs it, with Debian's package prometheus")
    }
    return try await withTemporaryDirectory { directory in
        let file = "\(directory)/input"
        try Data(input.utf8).write(to: URL(filePath: file))
        guard fromStandardInput else { return try await Command(program, arguments + [file]).run() }
        let script = #"file=$1; shift; exec "$@" <"$file""#
        return try await Command("/bin/sh", ["-c", script, "sh", file, program] + arguments).run()
    }
}
