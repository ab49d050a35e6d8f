package import ChildProcess
import FoundationEssentials

/// Runs Prometheus's `promtool` on `input`, passed as a file in the last argument or on standard
/// input.
package func promtool(
    _ arguments: [String], input: String, fromStandardInput: Bool = false
) async throws -> ChildProgram.Output {
    guard let program = ChildProgram.find("promtool") else {
        throw ChildProgramError(
            "promtool is not on the PATH; `make setup` installs it, with Debian's package prometheus")
    }
    return try await withTemporaryDirectory { directory in
        let file = "\(directory)/input"
        try Data(input.utf8).write(to: URL(filePath: file))
        guard fromStandardInput else { return try await ChildProgram(program, arguments + [file]).run() }
        let script = #"file=$1; shift; exec "$@" <"$file""#
        return try await ChildProgram("/bin/sh", ["-c", script, "sh", file, program] + arguments).run()
    }
}
