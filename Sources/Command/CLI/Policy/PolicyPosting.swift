import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import JobStore
import Posts

enum PolicyPosting {
    static let command = Command(
        "posting", "Show and set what uploads must and must not contain.",
        discussion: """
            An upload that breaks the policy is refused, or rejected before its photo is opened if the policy has changed \
            since. 'set' adds a version, which applies to all uploads from then on.
            """,
        subcommands: [show, set])

    private static let show = Command(
        "show", "Show the posting policies in force: the general one, and those of categories.",
        options: [Settings.json, Settings.database],
        examples: [Example("darkroom policy posting show", "shows what uploads must contain now")]
    ) { arguments in
        let policies = try await Settings.withPool(arguments) {
            try await PostingPolicyStore(pool: $0).inForce()
        }
        for policy in policies { show(policy, json: arguments.flag("json")) }
    }

    private static let set = Command(
        "set", "Change the posting policy by adding a version.",
        discussion: """
            Rules that you do not give stay as they are. With --for, they are those of one category; what it leaves open, \
            the general policy decides.
            """,
        options: [
            .value("for", "CATEGORY", "change the policy of this category only"),
            .value("headline", "RULE", "required or optional; with --for also general"),
            .value("caption", "RULE", "required or optional; with --for also general"),
            .value("category", "RULE", "required or optional"),
            .value("categories", "NAMES", "the allowed categories, separated by commas; '' allows any"),
            .value("link", "RULE", "required, optional or refused; with --for also general"),
            .value(
                "link-hosts", "HOSTS",
                "hosts that links may point to, including their subdomains, separated by commas; '' allows any"
            ),
            .value(
                "accuracy", "M",
                "the largest radius of uncertainty of a position in metres, at most 1000000; '' allows any"),
            .value(
                "photos-a-day", "N",
                "how many photos and texts a person may upload within 24 hours, at most 10000; '' allows any"
            ),
            .value(
                "bytes-a-day", "BYTES",
                "how many bytes a person may upload within 24 hours; '' allows any"),
            .value(
                "pictures-within", "M",
                "how near a reader must be to see pictures, in metres; 20040000 shows them anywhere, '' as the general policy says"
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
            Example(
                "darkroom policy posting set --for market --accuracy 100 --note 'stalls stand close together'",
                "refuses uploads of the category market whose position is known to more than 100 m"),
            Example(
                "darkroom policy posting set --for secret --pictures-within 100 --note 'only for those who are there'",
                "shows pictures of the category secret only to readers within 100 m"),
            Example(
                "darkroom policy posting set --photos-a-day 50 --bytes-a-day 200000000 --note 'fair use'",
                "refuses what a person uploads beyond 50 photos or 200 MB within 24 hours"),
        ]
    ) { arguments in
        guard let note = arguments.string("note"), !note.isEmpty else {
            throw UsageError("say why you change the policy: --note TEXT")
        }
        let category = arguments.string("for")
        let changes = try changes(arguments, general: category == nil)
        guard !changes.isEmpty else { throw UsageError("say what to change, such as --headline required") }
        let policy = try await Settings.withPool(arguments) { pool in
            try await OperatorActions(JobStore(pool: pool)).record(
                OperatorAction("set posting policy", of: category.map { "category \($0)" }, why: note)
            ) {
                try await PolicyOptions.explained {
                    try await PostingPolicyStore(pool: pool).set(for: category, note: note) { policy in
                        for change in changes { change(&policy) }
                    }
                }
            }
        }
        show(policy, json: arguments.flag("json"))
    }

    private typealias Change = (inout PostingPolicy) -> Void

    private enum Rule: String, CaseIterable { case required, optional }
    private enum CategoryRule: String, CaseIterable { case required, optional, general }

    private static func changes(_ arguments: ParsedArguments, general: Bool) throws -> [Change] {
        var changes: [Change] = []
        for (name, path) in [
            ("headline", \PostingPolicy.headlineRequired), ("caption", \.captionRequired),
        ] {
            if general, let rule = try arguments.choice(name, of: Rule.self) {
                changes.append { $0[keyPath: path] = rule == .required }
            } else if !general, let rule = try arguments.choice(name, of: CategoryRule.self) {
                changes.append { $0[keyPath: path] = rule == .general ? nil : rule == .required }
            }
        }
        if let rule = try arguments.choice("category", of: Rule.self) {
            changes.append { $0.categoryRequired = rule == .required }
        }
        if !general, arguments.string("link") == "general" {
            changes.append { $0.link = nil }
        } else if let rule = try arguments.choice("link", of: PostingPolicy.LinkRule.self) {
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
        for (name, path, most) in [
            ("accuracy", \PostingPolicy.mostAccuracyMetres, 1_000_000.0),
            ("pictures-within", \.picturesWithinMetres, 20_040_000),
        ] {
            if arguments.string(name) == "" {
                changes.append { $0[keyPath: path] = nil }
            } else if let metres = try arguments.double(name, in: 0.001...most) {
                changes.append { $0[keyPath: path] = metres }
            }
        }
        for (name, path, most) in [
            ("photos-a-day", \PostingPolicy.photosADay, 10_000),
            ("bytes-a-day", \.bytesADay, 9_007_199_254_740_991),
        ] {
            if arguments.string(name) == "" {
                changes.append { $0[keyPath: path] = nil }
            } else if let number = try arguments.int(name, in: 1...most) {
                changes.append { $0[keyPath: path] = number }
            }
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
        func rule(_ isRequired: Bool?) -> String? { isRequired.map { $0 ? "required" : "optional" } }
        if json {
            func text(_ value: String?) -> JSON { JSON.optional(value) { .string($0) } }
            func texts(_ values: [String]?) -> JSON {
                JSON.optional(values) { .array($0.map { .string($0) }) }
            }
            return Output.line(
                JSON.object([
                    ("version", .integer(Int64(policy.version))), ("for", text(policy.category)),
                    ("since", .string(policy.createdAt.stamp)),
                    ("note", .string(policy.note)), ("headline", text(rule(policy.headlineRequired))),
                    ("caption", text(rule(policy.captionRequired))),
                    ("category", text(rule(policy.categoryRequired))),
                    ("categories", texts(policy.categories)), ("link", text(policy.link?.rawValue)),
                    ("link_hosts", texts(policy.linkHosts)),
                    ("accuracy_at_most_m", JSON.optional(policy.mostAccuracyMetres) { .number($0) }),
                    ("photos_a_day", JSON.optional(policy.photosADay) { .integer(Int64($0)) }),
                    ("bytes_a_day", JSON.optional(policy.bytesADay) { .integer(Int64($0)) }),
                    ("pictures_within_m", JSON.optional(policy.picturesWithinMetres) { .number($0) }),
                ]).line)
        }
        let name = policy.category.map { " of \($0)" } ?? ""
        Output.line(
            Terminal.printable(
                "Posting policy \(policy.version)\(name), since \(policy.createdAt.shortStamp) UTC: \(policy.note)"
            ))
        let open = policy.category == nil ? "any" : "general"
        var table = TextTable(columns: [.init("WHAT"), .init("RULE"), .init("ALLOWED")])
        table.add(["headline", rule(policy.headlineRequired) ?? "general", "any"])
        table.add(["caption", rule(policy.captionRequired) ?? "general", "any"])
        if policy.category == nil {
            table.add([
                "category", rule(policy.categoryRequired) ?? "",
                policy.categories?.joined(separator: ", ") ?? "any",
            ])
        }
        table.add([
            "link", policy.link?.rawValue ?? "general", policy.linkHosts?.joined(separator: ", ") ?? open,
        ])
        table.add(["accuracy", "optional", policy.mostAccuracyMetres.map { "at most \($0) m" } ?? open])
        table.add([
            "pictures", "optional",
            policy.picturesWithinMetres.map { "within \($0) m" }
                ?? (policy.category == nil ? "anywhere" : open),
        ])
        if policy.category == nil {
            table.add(["photos a day", "optional", policy.photosADay.map { "at most \($0)" } ?? open])
            table.add(["bytes a day", "optional", policy.bytesADay.map { "at most \($0)" } ?? open])
        }
        Output.table(table)
    }
}
