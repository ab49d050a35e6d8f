import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import Imaging
import Ingestion
import JobQueue
import JobStore
import PlainText
import Posts

/// `darkroom posts rerender`: new pictures from kept originals.
enum PostsRerender {
    static let command = Command(
        "rerender", "Render the pictures of posts anew from their originals.",
        discussion: """
            For after another recipe was configured. Queues jobs that workers run after all else, at most --window of \
            them at a time, and waits for them; Ctrl-C stops queueing. Workers render by the configuration that they \
            were started with, so give this command the same. A post says which recipe rendered it, so another run does \
            only the rest. Posts whose original is not kept any more stay as they are and are counted; those whose \
            rendering fails are among 'darkroom jobs list --kind rerender', and the command exits with 1. Another run with \
            --all begins anew, also after Ctrl-C; one without it does what is left.
            """,
        options: [
            .value(
                "recipe", "NAME",
                "the recipe to render by, which must be the configured one: its name, or 6 or more digits of its checksum"
            ),
            .flag("all", "also posts that the configured recipe rendered"),
            .value("post", "ID", "only this post"),
            .value("since", "TIME", "only posts that were published in this time, such as 7d"),
            .value("window", "N", "at most so many jobs queued at once", default: "100"),
            .flag("dry-run", "only count"),
            Settings.json, Settings.database, Settings.rendering,
        ],
        examples: [
            Example("darkroom posts rerender --dry-run", "how many posts another recipe rendered"),
            Example(
                "darkroom posts rerender --recipe feed --rendering new.json --since 30d",
                "renders those of the last month anew, if new.json has the recipe feed"),
            Example("darkroom posts rerender --post 17 --all", "this one, whatever rendered it"),
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
                "--recipe \(name) is not the configured recipe, which is \(recipe.title): give the file of \(name) with "
                    + "--rendering, here and to the workers")
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
            // What was rendered bears the recipe's checksum, also where it had to be done again.
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

    /// - Throws: `PostError` with `noPost`, `CommandError` for one whose pictures nobody is to see any more.
    private static func checkRenders(_ post: Int64, _ store: RerenderingStore) async throws {
        let state = try await store.subject(post).state
        guard [.published, .held, .hidden].contains(state) else {
            throw CommandError(
                "post \(post) is \(state.rawValue): only published, held and hidden posts are rendered anew")
        }
    }

    /// After this long without progress it is said what the jobs wait for.
    private static let patience = Duration.seconds(5)

    /// How many jobs were queued, and the last post that was looked at; nil where all were.
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

    private static func obstacle(_ jobs: JobStore) async throws -> String? {
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
            before.gone > 0 ? " \(before.gone) more have no original any more and stay as they are." : ""
        if isDryRun {
            return Output.note(
                "\(before.posts) posts would be rendered anew by \(recipe.title).\(gone) Nothing was changed."
            )
        }
        let rest =
            left > 0 ? " \(left) are left: see 'darkroom jobs list --kind rerender', and run it again." : ""
        Output.note("\(rendered) posts were rendered anew.\(rest)\(gone)")
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
