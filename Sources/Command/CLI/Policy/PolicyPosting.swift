import Arguments
import CommandSupport
import FoundationEssentials
import Posts

enum PolicyPosting {
    static let command = Command(
        "posting", "Show and set what uploads must and must not contain.",
        discussion: """
            An upload that breaks the policy is rejected before its photo is opened. 'set' adds a version, which \
            applies to all uploads ingested from then on.
            """,
        subcommands: [show, set])

    private static let show = Command(
        "show", "Show the posting policy in force.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom policy posting show", "shows what uploads must contain now")]
    ) { arguments in
        let policy = try await Settings.withPool(arguments) {
            try await PostingPolicyStore(pool: $0).inForce()
        }
        show(policy, json: arguments.flag("json"))
    }

    private static let set = Command(
        "set", "Change the posting policy by adding a version.",
        discussion: "Rules that you do not give stay as they are.",
        options: [
            .value("headline", "RULE", "required or optional"),
            .value("caption", "RULE", "required or optional"),
            .value("category", "RULE", "required or optional"),
            .value("categories", "NAMES", "the allowed categories, separated by commas; '' allows any"),
            .value("link", "RULE", "required, optional or refused"),
            .value(
                "link-hosts", "HOSTS",
                "hosts that links may point to, including their subdomains, separated by commas; '' allows any"
            ),
            .value("note", "TEXT", "why, for the record (required)"), Settings.json,
            Settings.database,
        ],
        examples: [
            Example(
                "darkroom policy posting set --headline required --categories food,music,sport --note 'campus map'",
                "rejects uploads without a headline, or with another category"),
            Example(
                "darkroom policy posting set --link-hosts example.org --note 'our own pages'",
                "allows links only to example.org and its subdomains, such as www.example.org"),
        ]
    ) { arguments in
        guard let note = arguments.string("note"), !note.isEmpty else {
            throw UsageError("say why you change the policy: --note TEXT")
        }
        let changes = try changes(arguments)
        guard !changes.isEmpty else { throw UsageError("say what to change, such as --headline required") }
        let policy = try await Settings.withPool(arguments) { pool in
            try await PolicyOptions.explained {
                try await PostingPolicyStore(pool: pool).set(note: note) { policy in
                    for change in changes { change(&policy) }
                }
            }
        }
        show(policy, json: arguments.flag("json"))
    }

    private typealias Change = (inout PostingPolicy) -> Void

    private enum Rule: String, CaseIterable { case required, optional }

    private static func changes(_ arguments: ParsedArguments) throws -> [Change] {
        var changes: [Change] = []
        if let rule = try arguments.choice("headline", of: Rule.self) {
            changes.append { $0.headlineRequired = rule == .required }
        }
        if let rule = try arguments.choice("caption", of: Rule.self) {
            changes.append { $0.captionRequired = rule == .required }
        }
        if let rule = try arguments.choice("category", of: Rule.self) {
            changes.append { $0.categoryRequired = rule == .required }
        }
        if let rule = try arguments.choice("link", of: PostingPolicy.LinkRule.self) {
            changes.append { $0.link = rule }
        }
        if let text = arguments.string("categories") {
            let names = list(text)
            changes.append { $0.categories = names }
        }
        if let text = arguments.string("link-hosts") {
            let names = list(text.lowercased())
            changes.append { $0.linkHosts = names }
        }
        return changes
    }

    /// The names in a list separated by commas; nil for an empty list.
    private static func list(_ text: String) -> [String]? {
        let names = text.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
        return names.isEmpty ? nil : names
    }

    private static func show(_ policy: PostingPolicy, json: Bool) {
        func rule(_ isRequired: Bool) -> String { isRequired ? "required" : "optional" }
        if json {
            func texts(_ values: [String]?) -> JSON {
                JSON.optional(values) { .array($0.map { .string($0) }) }
            }
            return Output.line(
                JSON.object([
                    ("version", .integer(Int64(policy.version))), ("since", .string(policy.createdAt.stamp)),
                    ("note", .string(policy.note)), ("headline", .string(rule(policy.headlineRequired))),
                    ("caption", .string(rule(policy.captionRequired))),
                    ("category", .string(rule(policy.categoryRequired))),
                    ("categories", texts(policy.categories)), ("link", .string(policy.link.rawValue)),
                    ("link_hosts", texts(policy.linkHosts)),
                ]).line)
        }
        Output.line(
            "Posting policy \(policy.version), since \(policy.createdAt.shortStamp) UTC: \(Terminal.printable(policy.note))"
        )
        var table = TextTable(columns: [.init("TEXT"), .init("RULE"), .init("ALLOWED")])
        table.add(["headline", rule(policy.headlineRequired), "any"])
        table.add(["caption", rule(policy.captionRequired), "any"])
        table.add([
            "category", rule(policy.categoryRequired), policy.categories?.joined(separator: ", ") ?? "any",
        ])
        table.add(["link", policy.link.rawValue, policy.linkHosts?.joined(separator: ", ") ?? "any"])
        Output.table(table)
    }
}
