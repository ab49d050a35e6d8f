import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Glibc
import Imaging
import Ingestion
import JobQueue
import JobStore
import PlainText
import Posts

enum PostsRerender {
    static let command = Command(
        "rerender", "Render the pictures of posts again from their originals.",
        discussion: """
            Run this after you configured another recipe. It enqueues jobs that run after all other jobs, at most \
            --window at a time, and waits for them; Ctrl-C stops enqueueing. Workers use the configuration that they were \
            started with, so give this command the same --rendering. Each post records its recipe, so the next run does \
            only the rest; with --all it starts from the beginning. Posts whose original was deleted stay as they are and \
            are counted. If a post cannot be rendered, the command exits with 1, and 'darkroom jobs list --kind \
            rerender' shows its job.
            """,
        options: [
            .value(
                "recipe", "NAME",
                "check that this is the configured recipe: its name, or at least 6 digits of its checksum"
            ),
            .flag("all", "also posts that the configured recipe has already rendered"),
            .value("post", "ID", "only this post"),
            .value("since", "TIME", "only posts published within this age, such as 7d"),
            .value("window", "N", "enqueue at most N jobs at a time", default: "100"),
            .flag("dry-run", "only count the posts"),
            Settings.json, Settings.database, Settings.rendering,
        ],
        examples: [
            Example("darkroom posts rerender --dry-run", "counts the posts that another recipe rendered"),
            Example(
                "darkroom posts rerender --recipe feed --rendering new.json --since 30d",
                "renders the posts of the last month again, if new.json has the recipe feed"),
            Example("darkroom posts rerender --post 17 --all", "renders this post again in any case"),
        ]
    ) { arguments in
        let window = try arguments.int("window", in: 1...100_000) ?? 100
        let since = try arguments.duration("since").map { Date(timeIntervalSinceNow: -$0.seconds) }
        let post = try arguments.int("post", in: 1...Int.max).map { Int64($0) }
        let again = arguments.flag("all")
        let asJSON = arguments.flag("json")
        let isDryRun = arguments.flag("dry-run")
        let recipe = try Settings.renderConfiguration(arguments).recipe
        if let name = arguments.string("recipe"), !recipe.isCalled(name) {
            throw UsageError(
                "--recipe \(name) is not the configured recipe \(recipe.title): give the file of \(name) with "
                    + "--rendering, to this command and to the workers")
        }
        let checksum = recipe.checksum
        try await Settings.withPool(arguments) { pool in
            let store = RerenderingStore(pool: pool)
            if let post { try await checkRenders(post, store) }
            let scope = RerenderScope(checksum: checksum, since: since, post: post, again: again)
            let before = try await store.count(scope)
            let interruption = Interruption()
            guard !isDryRun else {
                report(before, recipe, rendered: 0, left: before.posts, isDryRun: true, asJSON: asJSON)
                if interruption.isAsked { throw ExitCode(interruption.exitCode) }
                return
            }
            let (queued, last) = try await run(
                scope, store, JobStore(pool: pool), window: window, total: before.posts,
                showsProgress: !asJSON, interruption)
            // A rendered post carries the recipe's checksum, even if its job had to run twice.
            let rest = RerenderScope(checksum: checksum, since: since, post: post)
            let left = try await store.count(rest).posts
            let undone = try await store.count(rest, upTo: last).posts
            report(
                before, recipe, rendered: max(0, queued - undone), left: left, isDryRun: false, asJSON: asJSON
            )
            if interruption.isAsked { throw ExitCode(interruption.exitCode) }
            if left > 0 { throw ExitCode(1) }
        }
    }

    /// - Throws: `PostError` with `noPost`; `CommandError` for a post whose pictures nobody may see any more.
    private static func checkRenders(_ post: Int64, _ store: RerenderingStore) async throws {
        let state = try await store.subject(post).state
        guard [.published, .held, .hidden].contains(state) else {
            throw CommandError(
                "post \(post) is \(state.rawValue): only published, held and hidden posts can be rendered again"
            )
        }
    }

    /// After this long without progress, the command says what the jobs wait for.
    static let patience = Duration.seconds(5)

    /// How many jobs were enqueued, and the last post that was checked; nil once all were checked.
    private static func run(
        _ scope: RerenderScope, _ store: RerenderingStore, _ jobs: JobStore, window: Int, total: Int,
        showsProgress: Bool, _ interruption: Interruption
    ) async throws -> (queued: Int, last: Int64?) {
        let progress =
            showsProgress && total > 0 && Terminal.isTerminal(STDERR_FILENO)
            ? ProgressLine(label: "Rendering") : nil
        var position: Int64? = 0
        var queued = 0
        var done = 0
        var progressed = ContinuousClock.now
        while !interruption.isAsked {
            let unfinished = try await store.unfinished()
            if queued - unfinished != done {
                done = queued - unfinished
                progressed = .now
            }
            progress?.update(done: max(0, done), total: max(total, queued), note: "Ctrl-C stops")
            if let last = position, unfinished < window {
                let page = try await store.enqueue(scope, after: last, atMost: window - unfinished)
                position = page?.last
                queued += page?.queued ?? 0
            } else if unfinished == 0 {
                break
            } else {
                if .now - progressed > patience, let obstacle = try await obstacle(jobs) {
                    progress?.finish("")
                    Output.note(
                        "\(unfinished == 1 ? "1 job waits" : "\(unfinished) jobs wait") for \(obstacle).")
                    progressed = .now + .seconds(60)
                }
                await interruption.sleep(until: .now + .milliseconds(300))
            }
        }
        progress?.finish(interruption.isAsked ? "interrupted" : "")
        return (queued, position)
    }

    static func obstacle(_ jobs: JobStore) async throws -> String? {
        var filter = JobFilter()
        filter.kinds = [.rerender]
        filter.states = [.waiting, .parked, .scheduled]
        guard let job = try await jobs.jobs(filter, limit: 1).first else { return nil }
        return try await JobObstacle.of(job, jobs).map { Terminal.printable($0) }
    }

    private static func report(
        _ before: RerenderCount, _ recipe: Recipe, rendered: Int, left: Int, isDryRun: Bool, asJSON: Bool
    ) {
        if asJSON {
            return Output.line(
                JSON.object([
                    ("posts", .integer(Int64(before.posts))),
                    ("rendered", .integer(Int64(rendered))),
                    ("left", .integer(Int64(left))),
                    ("original_gone", .integer(Int64(before.gone))),
                    ("recipe", .string(recipe.name)), ("recipe_checksum", .string(recipe.digits)),
                ]).line)
        }
        let gone =
            before.gone > 0 ? " \(before.gone) more have lost their original and stay as they are." : ""
        if isDryRun {
            return Output.note(
                "\(before.posts) posts would be rendered again by \(recipe.title).\(gone) Nothing was changed."
            )
        }
        let rest =
            left > 0
            ? " \(left) are left: see 'darkroom jobs list --kind rerender', and run the command again." : ""
        Output.note("\(rendered) posts were rendered again.\(rest)\(gone)")
    }
}

extension Recipe {
    /// The checksum as 16 hexadecimal digits.
    fileprivate var digits: String { checksum.hexadecimal }

    /// `feed, version 2 (checksum 0c3e1d5fa2b49687)`
    fileprivate var title: String { "\(name), version \(version) (checksum \(digits))" }

    fileprivate func isCalled(_ given: String) -> Bool {
        given == name || (given.count >= 6 && digits.hasPrefix(given.lowercased()))
    }
}
