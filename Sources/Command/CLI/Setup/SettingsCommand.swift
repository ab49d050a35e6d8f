import Arguments
import CommandSupport
import JobStore
import Postgres
import Posts

enum SettingsCommand {
    static let command = Command(
        "settings", "Show and change what the installation keeps, allows and limits.",
        subcommands: [list, set])

    private static let list = Command(
        "list", "List the settings, or say what one means.",
        options: [Settings.json, Settings.database],
        positionals: [.optional("NAME", "the setting to explain")],
        examples: [
            Example("darkroom settings list", "shows each with its value and the usual one"),
            Example("darkroom settings list draft_days", "says what it is for"),
        ]
    ) { arguments in
        let name = arguments.string("NAME")
        let all = try await Settings.withPool(arguments) { try await InstallationSettings(pool: $0).all() }
        let found = all.filter { name == nil || $0.name == name }
        if let name, found.isEmpty {
            throw unknown(name)
        }
        if arguments.flag("json") {
            for setting in found { Output.line(setting.json.line) }
            return
        }
        var table = TextTable(columns: [.init("SETTING"), .init("VALUE"), .init("USUAL")])
        for setting in found { table.add([setting.name, setting.value ?? "none", setting.usual ?? "none"]) }
        Output.table(table)
        if name != nil, let meaning = found[0].meaning { Output.line(meaning) }
    }

    private static func unknown(_ name: String) -> UsageError {
        UsageError("there is no setting \(name): 'darkroom settings list' shows all")
    }

    private static let set = Command(
        "set", "Change a setting.",
        discussion: "It counts from now on, for all workers and servers.",
        options: [Settings.json, Settings.database],
        positionals: [
            .required("NAME", "the setting"),
            .required("VALUE", "a number, true, false, a time such as '10 minutes', or none"),
        ],
        examples: [
            Example("darkroom settings set history_days 90", "keeps finished jobs for 90 days"),
            Example("darkroom settings set unique_names false", "lets people have equal names"),
        ]
    ) { arguments in
        let name = arguments.string("NAME") ?? ""
        let given = arguments.string("VALUE") ?? ""
        let value = given == "none" ? nil : given
        let earlier = try await Settings.withPool(arguments) { pool in
            try await OperatorActions(JobStore(pool: pool)).record(
                OperatorAction("set \(name)", of: "setting \(name)")
            ) {
                do {
                    return try await InstallationSettings(pool: pool).change(name, to: value)
                } catch let error as PostgresError
                    where ["22", "23"].contains(error.sqlState?.conditionClass)
                {
                    let all = try await InstallationSettings(pool: pool).all().map(\.name)
                    guard all.contains(name) else { throw unknown(name) }
                    let rule = error.constraint.map { ": the rule is “\($0.replacing("_", with: " "))”" }
                    throw UsageError(
                        "\(name) cannot be \(given)\(rule ?? ""); see 'darkroom settings list \(name)'")
                }
            }
        }
        if arguments.flag("json") {
            func text(_ value: String?) -> JSON { JSON.optional(value) { .string($0) } }
            Output.line(
                JSON.object([("setting", .string(name)), ("value", text(value)), ("earlier", text(earlier))])
                    .line)
        } else {
            Output.note("\(name) is \(given) now. It was \(earlier ?? "none").")
        }
    }
}

extension InstallationSettings.Setting {
    fileprivate var json: JSON {
        func text(_ value: String?) -> JSON { JSON.optional(value) { .string($0) } }
        return .object([
            ("setting", .string(name)), ("value", text(value)), ("usual", text(usual)),
            ("meaning", text(meaning)),
        ])
    }
}
