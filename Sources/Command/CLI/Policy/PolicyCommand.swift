import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import JobStore
import Posts

enum PolicyCommand {
    static let command = Command(
        "policy", "Show, try and set the moderation policy; set what posts must say.",
        discussion: """
            The policy decides how reports are weighed, when they hide a post, and which uploads are held. Versions never \
            change: 'set' adds a new one, and every worker follows it at once. docs/moderation.md explains the parameters.
            """,
        subcommands: [show, list, set, PolicyUse.command, PolicyTry.command, PolicyPosting.command])

    private static let show = Command(
        "show", "Show the policy in force, or an earlier version.",
        options: [
            .value("version", "N", "version to show (default: the one in force)"), Settings.json,
            Settings.database,
        ],
        examples: [
            Example("darkroom policy show", "shows every parameter with its value and meaning"),
            Example("darkroom policy show --version 1", "shows the first version"),
        ]
    ) { arguments in
        let version = try arguments.int("version", in: 1...Int(Int32.max))
        let policies = try await Settings.withPool(arguments) {
            try await ModerationPolicyStore(pool: $0).all()
        }
        guard
            let policy = version.map({ version in policies.first { $0.version == version } })
                ?? policies.first
        else {
            throw CommandError(
                "there is no policy \(version ?? 1): 'darkroom policy list' shows the versions")
        }
        if arguments.flag("json") { return Output.line(JSON.object(policy.fields).line) }
        Output.line(
            "Policy \(policy.version), since \(policy.createdAt.shortStamp) UTC: \(Terminal.printable(policy.note))"
        )
        var table = TextTable(columns: [.init("PARAMETER"), .init("VALUE"), .init("MEANING")])
        for parameter in PolicyParameter.all {
            table.add([parameter.name, parameter.text(in: policy), parameter.meaning])
        }
        Output.table(table)
    }

    private static let list = Command(
        "list", "List all versions and what each changed.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom policy list", "shows when and why the threshold was lowered")]
    ) { arguments in
        let policies = try await Settings.withPool(arguments) {
            try await ModerationPolicyStore(pool: $0).all()
        }
        if arguments.flag("json") {
            for policy in policies { Output.line(JSON.object(policy.fields).line) }
            return
        }
        var table = TextTable(columns: [
            .init("VERSION", .right), .init("SINCE (UTC)"), .init("NOTE"), .init("CHANGES"),
        ])
        for (index, policy) in policies.enumerated() {
            let before = index + 1 < policies.count ? policies[index + 1] : nil
            table.add([
                String(policy.version), policy.createdAt.shortStamp, policy.note,
                before.map { policy.changes(since: $0).joined(separator: ", ") } ?? "-",
            ])
        }
        Output.table(table)
    }

    private static let set = Command(
        "set", "Change the policy by adding a version.",
        discussion: """
            Parameters that you do not give keep their values. Try the change first: 'darkroom policy try' takes the \
            same options.
            """,
        options: PolicyOptions.all + [
            .value("note", "TEXT", "why, for the record (required)"), Settings.json,
            Settings.database,
        ],
        examples: [
            Example(
                "darkroom policy set --hide-threshold 8 --note 'term time'",
                "needs more reports to hide a post"),
            Example(
                "darkroom policy set --urgent-reasons illegal --note 'only what is illegal hides at once'",
                "takes several reasons, separated by commas; '' is none"),
        ]
    ) { arguments in
        guard let note = arguments.string("note"), !note.isEmpty else {
            throw UsageError("say why you change the policy: --note TEXT")
        }
        let changes = try PolicyOptions.changes(arguments)
        guard !changes.isEmpty else { throw UsageError("say what to change, such as --hide-threshold 8") }
        try await change(arguments, note: note) { policy in
            for change in changes { change(&policy) }
        }
    }

    /// Adds a version of the policy, and prints what changed.
    static func change(
        _ arguments: ParsedArguments, note: String, _ change: @Sendable (inout ModerationPolicy) -> Void
    ) async throws {
        let (before, policy) = try await Settings.withPool(arguments) { pool in
            let store = ModerationPolicyStore(pool: pool)
            let before = try await store.inForce()
            let policy = try await OperatorActions(JobStore(pool: pool)).record(
                OperatorAction("set policy", of: nil, why: note)
            ) {
                try await PolicyOptions.explained { try await store.set(note: note, change) }
            }
            return (before, policy)
        }
        if arguments.flag("json") { return Output.line(JSON.object(policy.fields).line) }
        let changed = policy.changes(since: before)
        Output.line(
            "Policy \(policy.version) is in force: \(changed.isEmpty ? "nothing changed" : changed.joined(separator: ", "))."
        )
    }
}
