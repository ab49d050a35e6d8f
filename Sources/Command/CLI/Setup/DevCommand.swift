import Arguments
import CommandSupport
import LocalCluster

/// `darkroom dev`: a private PostgreSQL cluster for development and the demo.
enum DevCommand {
    static let command = Command(
        "dev", "Run a private PostgreSQL cluster below \(Settings.home)/.",
        subcommands: [
            Command(
                "start", "Make the cluster if need be, and start it.",
                discussion: """
                    The cluster answers on a Unix socket only and never touches the system's PostgreSQL. \
                    Run as root, it runs under an unprivileged user. A cluster that runs already is left alone.
                    """,
                examples: [Example("darkroom dev start", "starts it and prints its connection URL")]
            ) { _ in
                Output.line(try await Settings.cluster.start())
            },
            Command(
                "stop", "Stop the cluster; its data stays.",
                examples: [Example("darkroom dev stop", "stops it")]
            ) { _ in
                try await Settings.cluster.stop()
            },
            Command(
                "status", "Say whether the cluster runs, and where.",
                options: [Settings.json],
                examples: [Example("darkroom dev status", "prints the URL, or exits with 1")]
            ) { arguments in
                let status = try await Settings.cluster.status()
                let (state, url): (String, String?) =
                    switch status {
                    case .absent: ("absent", nil)
                    case .stopped: ("stopped", nil)
                    case .running(let url, _): ("running", url)
                    }
                if arguments.flag("json") {
                    Output.line(
                        JSON.object([
                            ("state", .string(state)), ("url", JSON.optional(url) { .string($0) }),
                        ]).line)
                } else if let url {
                    Output.line(url)
                } else {
                    Output.note("The cluster is \(state): run 'darkroom dev start'.")
                }
                if url == nil { throw ExitCode(1) }
            },
        ])
}
