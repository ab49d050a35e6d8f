import Arguments
import CommandSupport

@main
enum DevelopmentTool {
    static func main() async {
        await CommandTree(
            tool: "darkroom-dev", version: Release.version,
            summary: "Tools for developers of Darkroom; not part of an installation.",
            commands: [
                BenchCommand.command, ChaosCommand.command, DocsCommand.command, GazetteerVerify.command,
                Release.command(of: "darkroom-dev"),
            ]
        ).runProcess()
    }
}
