import Arguments
import CommandSupport
import Posts

enum PolicyUse {
    static let command = Command(
        "use", "Set the values that fit the size of your service.",
        discussion: """
            launch: hundreds of people, all of them new; three who report for the first time hide a post. town: thousands. \
            city: many thousands, and the values that a new installation has. docs/moderation.md has the values. Parameters \
            that do not depend on the size keep their values.
            """,
        options: [
            .value("note", "TEXT", "why, for the record (default: the name)"), Settings.json,
            Settings.database,
        ],
        positionals: [.required("SIZE", "launch, town or city")],
        examples: [Example("darkroom policy use launch", "lets three people in a new app hide a post")]
    ) { arguments in
        let name = arguments.string("SIZE") ?? ""
        guard let preset = PolicyPreset(rawValue: name) else {
            throw UsageError("“\(name)” is not launch, town or city")
        }
        let note = arguments.string("note").flatMap { $0.isEmpty ? nil : $0 } ?? "The values of '\(name)'."
        try await PolicyCommand.change(arguments, note: note) { preset.apply(to: &$0) }
    }
}
