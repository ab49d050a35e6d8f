import Arguments
import CommandSupport

@main
enum DevelopmentTool {
    static func main() async {
        await CommandTree(
            tool: "darkroom-dev", version: Release.version,
            summary: "What those need who work on Darkroom itself; no installation contains it.",
            commands: [
                BenchCommand.command, DocsCommand.command, GazetteerVerify.command,
                Release.command(of: "darkroom-dev"),
            ]
        ).runProcess()
    }
}
