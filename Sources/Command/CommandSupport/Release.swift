package import Arguments
import Schema

/// What all programs of one release share.
package enum Release {
    package static let version = ReleaseVersion.current.description

    package static func command(of tool: String) -> Command {
        Command(
            "version", "Print the version.",
            examples: [Example("\(tool) version", "prints \(version)")]
        ) { _ in
            Output.line(version)
        }
    }
}
