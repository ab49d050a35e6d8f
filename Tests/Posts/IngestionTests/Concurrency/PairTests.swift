import Glibc
import Postgres
import Posts
import Schema
import Synchronization
import TestKit
import Testing

/// Pairs of all that people and workers do, on the same posts and people.
///
/// A random sample runs with all tests, `make pairs` runs every pair. `DARKROOM_PAIRS` is a seed, or `all`.
@Suite("Two at once", .timeLimit(.minutes(60)))
struct PairTests {
    /// What waits for an app's open transaction, for which, and why: the table in docs/feeds.md. Nothing else does.
    private static let exceptions: [(waiting: Set<String>, for: Set<String>?, why: String)] = [
        (
            ["erase_post", "erase_person", "erase_person_record"], nil,
            "It gives way after two seconds and comes back."
        ),
        (
            ["approve", "remove", "restore"],
            ["delete_post", "delete_post hidden", "appeal_post", "edit_post", "edit_post hidden"],
            "It decides on what the uploader has done."
        ),
        (["approve", "remove", "restore"], ["set_display_name"], "It changes the uploader's record."),
        (
            ["approve a comment", "remove a comment"],
            ["delete_comment", "delete_comment under a post", "delete_comment hidden", "appeal_comment"],
            "It decides on what the author has done."
        ),
        (
            ["relocate", "replace pictures"], ["delete_post", "edit_post"],
            "Nothing changes in a post that is deleted or edited."
        ),
        (
            ["delete_comment", "delete_comment under a post"],
            ["delete_comment", "delete_comment under a post"],
            "Its author and the post's uploader delete one comment."
        ),
        (["read_events"], ["read_events"], "The readers of one consumer take turns."),
    ]

    private static let choice = getenv("DARKROOM_PAIRS").map { String(cString: $0) }
    private static var seed: UInt64 { choice.flatMap { UInt64($0) } ?? 1 }

    @Test("are drawn from every public function that writes")
    func coverage() {
        let acts = (Act.ofApps + Act.ofWorkers).compactMap(\.statement).joined()
        let missing = SchemaFile.all.filter { file in
            // PostgreSQL lets no stable function write. This one writes once in the life of an installation.
            !file.callers.isEmpty && !file.text.contains(/language \w+ stable/)
                && file.name != "media_identity"
                && !acts.contains("darkroom.\(file.name)(")
        }
        #expect(missing.map(\.name) == [])
    }

    @Test("do not wait for another person's open transaction, and agree with a recount, however it ends")
    func openTransactions() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await Scene.prepare(database)
            var pairs: [(Act, Act, isUndone: Bool)] = []
            for first in Act.ofApps {
                for second in Act.ofApps + Act.ofWorkers {
                    pairs += [(first, second, false), (first, second, true)]
                }
            }
            if Self.choice != "all" {
                var random = SplitMix(state: Self.seed)
                pairs = Array(pairs.shuffled(using: &random).prefix(40))
            }
            var unexpected: [String] = []
            for (number, (first, second, isUndone)) in pairs.enumerated() {
                let scene = try await Scene.make(number, in: database)
                let names = "\(first.name), \(second.name)\(isUndone ? ", undone" : "")"
                do {
                    let found = try await Self.meet(first, second, isUndone: isUndone, scene, database)
                    if let found { unexpected.append("\(names): \(found)") }
                } catch {
                    unexpected.append("\(names): \(error)")
                }
            }
            #expect(unexpected == [])
            // Of 19,000 posts without statistics a recount takes minutes.
            try await database.pool.query("analyze")
            let faults = try await database.inconsistencies()
            #expect(faults == [])
            let deadlocks = try await Self.deadlocks(in: database)
            #expect(deadlocks == [])
        }
    }

    /// Runs the second act while the transaction of the first is open. Returns what should not have happened.
    private static func meet(
        _ first: Act, _ second: Act, isUndone: Bool, _ scene: Scene, _ database: QueueDatabase
    ) async throws -> String? {
        let app = try await PostgresConnection.connect(database.configuration)
        let blocker = Int(await app.backendProcessID)
        let name = "second \(scene.number)"
        let pool = PostgresPool(PostgresConfiguration(url: database.url, applicationName: name), size: 1)
        try await app.query("begin")
        try await app.query(PostgresQuery(unescaped: scene.fill(first.statement ?? "")))
        let isOver = Flag()
        let outcome = Task { () -> SQLState? in
            defer { isOver.raise() }
            do {
                try await second.run(scene.second, pool)
            } catch let error as PostgresError {
                return error.sqlState
            } catch {}
            return nil
        }
        var wait: String?
        while !isOver.isRaised, wait == nil {
            // Not every wait for a lock is one for that transaction: commits that notify take turns in the whole server.
            wait = try await database.pool.query(
                """
                select query from pg_stat_activity
                where application_name = \(name) and wait_event_type = 'Lock' and \(blocker) = any(pg_blocking_pids(pid))
                """
            ).first?.decode("query", as: String.self)
        }
        try await app.query(isUndone ? "rollback" : "commit")
        await app.close()
        let state = await outcome.value
        await pool.close()
        if state == .deadlockDetected || state == .serializationFailure { return "failed with \(state!)" }
        guard let wait, first.person == nil || first.person != second.person else { return nil }
        let isException = exceptions.contains {
            $0.waiting.contains(second.name) && $0.for?.contains(first.name) ?? true
        }
        return isException ? nil : "waits: \(wait.prefix(100))"
    }

    /// Six sessions do random things on the same three scenes, all at once.
    @Test("do not deadlock, and leave what a recount finds")
    func storm() async throws {
        try await QueueDatabase.with(connections: 8) { (database: QueueDatabase) async throws -> Void in
            try await Scene.prepare(database)
            var random = SplitMix(state: Self.seed)
            for round in 0..<(Self.choice == "all" ? 100 : 4) {
                var scenes: [Scene] = []
                for number in 0..<3 { scenes.append(try await Scene.make(round * 3 + number, in: database)) }
                try await withThrowingTaskGroup(of: Int.self) { (group) async throws -> Void in
                    for session in 0..<6 {
                        let acts = (0..<25).compactMap { _ in
                            (Act.ofApps + Act.ofWorkers).randomElement(using: &random).map {
                                ($0, scenes[Int.random(in: 0..<3, using: &random)])
                            }
                        }
                        group.addTask {
                            var done = 0
                            for (act, scene) in acts {
                                // Acts on what is gone are refused.
                                let scene = session.isMultiple(of: 2) ? scene : scene.second
                                if (try? await act.run(scene, database.pool)) != nil { done += 1 }
                            }
                            return done
                        }
                    }
                    let done = try await group.reduce(0, +)
                    #expect(done > 75, "of 150")
                }
                let faults = try await database.inconsistencies()
                #expect(faults == [], "round \(round)")
            }
            let deadlocks = try await Self.deadlocks(in: database)
            #expect(deadlocks == [])
        }
    }

    /// How many deadlocks there were and what the server says of them, if any. It counts those that a retry hid, too.
    private static func deadlocks(in database: QueueDatabase) async throws -> [String] {
        try await database.pool.query("select pg_stat_force_next_flush()")
        return try await database.pool.query(
            """
            select format('%s deadlocks: %s', deadlocks, (
                select string_agg(left(report, 4000), E'\\n')
                from regexp_split_to_table(pg_read_file('server.log'), 'ERROR:  deadlock detected') with ordinality parts (report, number)
                where number > 1)) as report
            from pg_stat_database where datname = current_database() and deadlocks > 0
            """
        ).map { try $0.decode("report", as: String.self) }
    }
}

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock(\.self) }
    func raise() { state.withLock { $0 = true } }
}
