package import Arguments

/// What all programs of one release share.
package enum Release {
    package static let version = "0.1.0"

    package static func command(of tool: String) -> Command {
        Command(
            "version", "Print the version.",
            examples: [Example("\(tool) version", "prints \(version)")]
        ) { _ in
            Output.line(version)
        }
    }
}
