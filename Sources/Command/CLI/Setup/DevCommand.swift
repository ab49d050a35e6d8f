import Arguments
import CommandSupport
import LocalCluster

enum DevCommand {
    static let command = Command(
        "dev", "Run a private PostgreSQL cluster below \(Settings.home)/.",
        subcommands: [
            Command(
                "start", "Start the cluster, and create it if necessary.",
                discussion: """
                    The cluster listens only on a Unix socket and never touches the system's PostgreSQL. If you are \
                    root, it runs under an unprivileged user. If the cluster is already running, nothing changes.
                    """,
                examples: [Example("darkroom dev start", "starts it and prints its connection URL")]
            ) { _ in
                Output.line(try await Settings.cluster.start())
            },
            Command(
                "stop", "Stop the cluster and keep its data.",
                examples: [Example("darkroom dev stop", "stops it")]
            ) { _ in
                try await Settings.cluster.stop()
            },
            Command(
                "status", "Show whether the cluster is running, and its connection URL.",
                options: [Settings.json],
                examples: [
                    Example("darkroom dev status", "prints the URL, or exits with 1 if it is not running")
                ]
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
