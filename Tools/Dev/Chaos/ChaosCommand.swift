import Arguments

enum ChaosCommand {
    static let command = Command(
        "chaos", "Break what Darkroom runs on, and see that every job is finished once.",
        subcommands: [ChaosStorm.command, ChaosGaps.command, ChaosWorker.command])
}
