import Arguments
import CommandSupport

@main
enum Program {
    static func main() async {
        await CommandTree(
            tool: "darkroom", version: Release.version,
            summary: "Turns uploaded photos into published posts, from a queue in PostgreSQL.",
            commands: [
                DevCommand.command, MigrateCommand.command, EnqueueCommand.command, WorkCommand.command,
                ServeCommand.command, KeysCommand.command, ConsoleCommand.command,
                JobsCommand.command, QueueCommand.command, WorkersCommand.command, SchedulesCommand.command,
                PostsCommand.command, PeopleCommand.command, EventsCommand.command, ReviewCommand.command,
                PolicyCommand.command, SettingsCommand.command, RolesCommand.command, InspectCommand.command,
                GazetteerCommand.command, SweepCommand.command, StoreCommand.command,
                DoctorCommand.command,
                Release.command(of: "darkroom"),
            ]
        ).runProcess()
    }
}
