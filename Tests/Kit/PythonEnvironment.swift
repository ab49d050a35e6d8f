import ChildProcess
import FoundationEssentials

/// Python with packages of the Python package index, in an environment that a script of the checkout makes once.
package enum PythonEnvironment {
    /// The interpreter of the packages that a file lists.
    package static func interpreter(_ name: String, requirements: String) async throws -> String {
        try await interpreter(
            madeBy: "scripts/python-environment", [name, "\(Checkout.root)/\(requirements)"])
    }

    /// What a script prints at its end, after it has made an environment.
    package static func interpreter(madeBy script: String, _ arguments: [String] = []) async throws -> String
    {
        // pip may need to know of an index or a proxy.
        let environment = ProcessInfo.processInfo.environment.merging(ChildProgram.plainEnvironment) { $1 }
        let output = try await ChildProgram(
            "\(Checkout.root)/\(script)", arguments, environment: environment
        ).runSuccessfully()
        return output.standardOutput.split(separator: "\n").last.map(String.init) ?? ""
    }
}
