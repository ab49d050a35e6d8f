import Arguments
import CivilCalendar
import CommandSupport
import Console
import JobStore

/// Access to the console of `darkroom serve --console`.
enum ConsoleCommand {
    static let command = Command(
        "console", "Let people into the console of 'darkroom serve --console'.", subcommands: [invite])

    private static let invite = Command(
        "invite", "Print a link with which one person signs in to the console once.",
        discussion: """
            Give the link to the person over a channel that you trust. It works once, and only for --valid. Without --may-act the \
            person can look at everything that the role shows, and change nothing. A session ends after one hour without a \
            request, and after twelve hours in any case. To erase a person in the console, one must have signed in within the \
            last ten minutes.
            """,
        options: [
            .value("role", "ROLE", "operator (everything) or moderator (only review)", default: "operator"),
            .value("name", "NAME", "the person's name, for the record of actions and decisions"),
            .flag("may-act", "let the person change something, and not only look"),
            .value("valid", "TIME", "how long the link works", default: "15m"),
            consoleURL,
            .value("by", "NAME", "your name, for the record", environment: "USER"),
            Settings.json, Settings.database,
        ],
        examples: [
            Example(
                "darkroom console invite --name olga --role moderator --may-act", "lets olga decide on posts"),
            Example("darkroom console invite --name sam --valid 5m", "lets sam look at the queue"),
        ]
    ) { arguments in
        guard let name = arguments.string("name"), !name.isEmpty else {
            throw UsageError("give --name: the record shows it with everything that the person does")
        }
        let role = try arguments.choice("role", of: ConsoleRole.self) ?? .operator
        let valid = try arguments.duration("valid") ?? .seconds(900)
        guard valid > .zero, valid <= .seconds(7 * 86_400) else {
            throw UsageError("--valid must be more than 0 and at most 7d")
        }
        var url = arguments.string("console-url") ?? "http://127.0.0.1:8081"
        while url.hasSuffix("/") { url.removeLast() }
        guard url.wholeMatch(of: #/https?://[A-Za-z0-9.\[\]:_-]+/#) != nil else {
            throw UsageError("--console-url \(url) is no address such as https://console.example.org")
        }
        let by = JobsReplay.operatorName(arguments)
        let mayAct = arguments.flag("may-act")
        let secret = try await Settings.withPool(arguments) { pool in
            let store = JobStore(pool: pool)
            var action = OperatorAction("invite to console", by: by, source: .commandLine)
            action.target = "\(role.rawValue) \(name)\(mayAct ? ", who may act" : "")"
            return try await OperatorActions(store).record(action) {
                try await ConsoleSessions(store).invite(name, as: role, mayAct: mayAct, by: by, valid: valid)
            }
        }
        let link = "\(url)/sign-in/\(secret)"
        guard !arguments.flag("json") else {
            return Output.line(
                JSON.object([("link", .string(link)), ("valid_s", .number(valid.seconds))]).line)
        }
        Output.line(link)
        Output.note("The link works once, within \(valid.short). Open it and press the button.")
    }

    /// Where browsers reach the console.
    static let consoleURL = Option.value(
        "console-url", "URL", "where browsers reach the console, such as https://console.example.org",
        default: "http://127.0.0.1:8081", environment: "DARKROOM_CONSOLE_URL")
}
