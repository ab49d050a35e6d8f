import Arguments
import Glibc

@main
enum Program {
    static let version = "0.1.0"

    static func main() async {
        // A reader that goes away, such as `| head`, ends the command by an error of write, not a signal.
        signal(SIGPIPE, SIG_IGN)
        let tool = CommandTree(
            tool: "darkroom", version: version,
            summary: "Turns uploaded photos into published posts, from a queue in PostgreSQL.",
            commands: [
                DevCommand.command, MigrateCommand.command, EnqueueCommand.command, WorkCommand.command,
                JobsCommand.command, QueueCommand.command, WorkersCommand.command, SchedulesCommand.command,
                PostsCommand.command, PeopleCommand.command, EventsCommand.command, ReviewCommand.command,
                PolicyCommand.command, RolesCommand.command, InspectCommand.command,
                GazetteerCommand.command, SweepCommand.command, DoctorCommand.command,
                DocsCommand.command, BenchCommand.command, versionCommand,
            ])
        exit(await tool.run(Array(CommandLine.arguments.dropFirst())))
    }

    private static let versionCommand = Command(
        "version", "Print the version.",
        examples: [Example("darkroom version", "prints \(version)")]
    ) { _ in
        print(version)
    }
}
