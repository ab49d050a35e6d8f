import Arguments
import CommandSupport
import Gazetteer
import Glibc
import Ingestion
import Postgres
import Posts

enum PostsRelocate {
    static let command = Command(
        "relocate", "Look up the places of published posts again.",
        discussion: """
            Run this after you installed another gazetteer or set another location policy. It updates the posts that were \
            located by an earlier one, in batches of one short transaction each. Ctrl-C stops after the current batch, \
            and the next run does the rest. Several runs at once share the work. Removed posts are updated too, as they can \
            be restored. Expired and deleted posts stay as they are, and so do places that a person corrected. A place that \
            the uploader typed stays that place. No location becomes more exact than it was.
            """,
        options: [
            .flag("dry-run", "change nothing; count what would change, and show examples"),
            .value("batch", "N", "posts per transaction", default: "500"),
            .value(
                "country", "CC", "only posts now located in this country, as a two-letter code such as US"),
            .value("post", "ID", "only this post"),
            Settings.json, Settings.database, Settings.gazetteer,
        ],
        examples: [
            Example("darkroom posts relocate --dry-run", "shows what a new gazetteer would change"),
            Example("darkroom posts relocate", "relocates the posts; a second run does only what is left"),
        ]
    ) { arguments in
        let batch = try arguments.int("batch", in: 1...10_000) ?? 500
        let post = try arguments.int("post", in: 1...Int.max).map { Int64($0) }
        let country = try arguments.string("country").map(countryCode)
        let isDryRun = arguments.flag("dry-run")
        let asJSON = arguments.flag("json")
        // It may take long, and the file may be overwritten meanwhile.
        let gazetteer = try Gazetteer(copying: try Settings.readableGazetteerPath(arguments))
        try await Settings.withPool(arguments) { pool in
            if let post { try await requirePost(post, in: ReadingStore(pool: pool)) }
            let relocation = Relocation(
                pool: pool, gazetteer: gazetteer, country: country, post: post, isDryRun: isDryRun)
            let interruption = Interruption()
            let (tally, examples) = try await run(
                relocation, batch: batch, showsProgress: !asJSON, interruption)
            let left = isDryRun ? 0 : try await relocation.left()
            if asJSON {
                Output.line(json(tally, examples: isDryRun ? examples : nil, left: left).line)
            } else {
                show(tally, examples: isDryRun ? examples : [])
            }
            let verb = isDryRun ? "would be relocated" : "relocated"
            if interruption.isAsked {
                Output.note(
                    "Interrupted: \(posts(tally.posts)) \(verb)"
                        + (isDryRun
                            ? " of those checked." : ", \(left) left; run the command again for them."))
                throw ExitCode(interruption.exitCode)
            }
            Output.note(
                "\(posts(tally.posts)) \(verb) by the index \(gazetteer.checksum)"
                    + (left > 0 ? "; \(left) were added meanwhile: run the command again for them." : ".")
                    + (isDryRun ? " Nothing was changed." : ""))
        }
    }

    /// Examples that a dry run shows.
    private static let shown = 10

    private static func run(
        _ relocation: Relocation, batch: Int, showsProgress: Bool, _ interruption: Interruption
    ) async throws -> (Relocation.Tally, [Relocation.Change]) {
        var relocation = relocation
        let total = try await relocation.left()
        let progress =
            showsProgress && total > 0 && Terminal.isTerminal(STDERR_FILENO)
            ? ProgressLine(label: "Relocating") : nil
        var tally = Relocation.Tally()
        var examples: [Relocation.Change] = []
        while !interruption.isAsked, let changes = try await relocation.next(atMost: batch) {
            for change in changes { tally.count(change) }
            examples += changes.lazy.filter(\.isVisible).prefix(shown - examples.count)
            // Another run may have done some of them, and new posts may have arrived.
            progress?.update(done: tally.posts, total: max(total, tally.posts), note: "Ctrl-C stops")
        }
        progress?.finish(interruption.isAsked ? "interrupted" : "")
        return (tally, examples)
    }

    private static func requirePost(_ id: Int64, in store: ReadingStore) async throws {
        guard let post = try await store.post(id) else {
            throw CommandError("there is no post \(id): 'darkroom posts list --all' shows all posts")
        }
        guard !post.isPlaceCorrected else {
            throw CommandError(
                "a person corrected the place of post \(id), so it stays: change it with 'darkroom posts correct-place'"
            )
        }
    }

    private static func countryCode(_ text: String) throws -> String {
        let code = text.uppercased()
        guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw UsageError("--country \(text) is not a code of two letters, such as US")
        }
        return code
    }

    private static func show(_ tally: Relocation.Tally, examples: [Relocation.Change]) {
        guard tally.posts > 0 else { return }
        var table = TextTable(columns: [.init("CHANGED"), .init("POSTS", .right)])
        for (name, count) in [
            ("country", tally.countries), ("division", tally.divisions), ("city", tally.cities),
            ("place", tally.places), ("coordinates", tally.moved), ("nothing", tally.unchanged),
        ] {
            table.add([name, String(count)])
        }
        Output.table(table)
        if tally.typedPlacesUnknown > 0 {
            Output.note(
                "\(posts(tally.typedPlacesUnknown)) at typed places that this index does not have: they keep their names, "
                    + "unless the policy sets a minimum population.")
        }
        guard !examples.isEmpty else { return }
        Output.line("")
        var list = TextTable(columns: [
            .init("POST", .right), .init("BEFORE"), .init("AFTER"), .init("MOVED", .right),
        ])
        for change in examples {
            list.add([
                String(change.post), change.before.text, change.after.text,
                change.movedMetres > 0 ? "\(Int(change.movedMetres.rounded(.up))) m" : "-",
            ])
        }
        Output.table(list)
    }

    private static func json(
        _ tally: Relocation.Tally, examples: [Relocation.Change]?, left: Int
    ) -> JSON {
        var fields: [(String, JSON)] = [
            ("posts", .integer(Int64(tally.posts))), ("country_changed", .integer(Int64(tally.countries))),
            ("division_changed", .integer(Int64(tally.divisions))),
            ("city_changed", .integer(Int64(tally.cities))),
            ("place_changed", .integer(Int64(tally.places))),
            ("coordinates_changed", .integer(Int64(tally.moved))),
            ("unchanged", .integer(Int64(tally.unchanged))),
            ("typed_place_unknown", .integer(Int64(tally.typedPlacesUnknown))),
        ]
        if let examples {
            let changes = examples.map { change in
                JSON.object([
                    ("post_id", .integer(change.post)), ("before", .string(change.before.text)),
                    ("after", .string(change.after.text)), ("moved_m", .number(change.movedMetres)),
                ])
            }
            fields.append(("examples", .array(changes)))
        } else {
            fields.append(("left", .integer(Int64(left))))
        }
        return .object(fields)
    }

    private static func posts(_ count: Int) -> String { count == 1 ? "1 post" : "\(count) posts" }
}
