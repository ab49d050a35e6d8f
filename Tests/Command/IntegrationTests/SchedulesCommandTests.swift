import ChildProcess
import Ingestion
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("darkroom schedules", .timeLimit(.minutes(15)))
struct SchedulesCommandTests {
    @Test("creates a deleted built-in schedule again by its name alone")
    func again() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let store = darkroom.database.store
            let before = try #require(try await store.schedules().first { $0.name == "expire" })
            try await darkroom.database.pool.query("delete from darkroom.schedules where name = 'expire'")
            let made = try await darkroom.darkroom("schedules", "set", "expire")
            #expect(made.ending == .exited(0), "\(made.standardError)")
            let after = try #require(try await store.schedules().first { $0.name == "expire" })
            #expect(after.cron == before.cron && after.kind == "expire" && after.priority == before.priority)
            #expect(after.cron == JobDefinition.of(.expire)?.schedule?.cron)

            let unknown = try await darkroom.darkroom("schedules", "set", "nightly")
            #expect(unknown.ending == .exited(64))
            #expect(unknown.standardError.contains("there is no schedule nightly yet"))

            let odd = try await darkroom.darkroom("schedules", "set", "expire", "--queue", "Nightly")
            #expect(odd.ending == .exited(1))
            #expect(odd.standardError.contains("schedule queue is 1 to 50 of a to z 0 to 9 and dashes"))
        }
    }
}
