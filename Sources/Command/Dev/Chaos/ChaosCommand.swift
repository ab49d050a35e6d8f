import Arguments

enum ChaosCommand {
    static let command = Command(
        "chaos", "Stall workers, servers and connections, and see that every job is finished once.",
        subcommands: [ChaosGaps.command, ChaosWorker.command])
}
