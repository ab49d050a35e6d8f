import Ingestion
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The registered kinds of jobs", .timeLimit(.minutes(5)))
struct JobDefinitionTests {
    @Test("are each registered once")
    func once() {
        #expect(Set(JobDefinition.kinds).count == JobDefinition.kinds.count)
        for kind in JobDefinition.kinds { #expect(JobDefinition.of(kind)?.kind == kind) }
        #expect(JobDefinition.of(JobKind("unheard_of")) == nil)
    }

    @Test("are known to the database, with its initial schedules and policies")
    func database() async throws {
        try await QueueDatabase.with { database in
            for kind in JobDefinition.kinds {
                #expect(try await database.store.enqueue(kind, subjects: [1], fairKeys: ["a"]) == 1)
            }
            let known = try await database.pool.query("select kind from darkroom.job_kinds")
            #expect(
                try Set(known.map { try $0.decode("kind", as: String.self) })
                    == Set(JobDefinition.kinds.map(\.rawValue)))
            let schedules = try await database.store.schedules().sorted { $0.name < $1.name }
            let expected = JobDefinition.all.filter { $0.schedule != nil }.sorted {
                $0.schedule!.name < $1.schedule!.name
            }
            #expect(schedules.map(\.name) == expected.map(\.schedule!.name))
            #expect(schedules.map(\.kind) == expected.map(\.kind.rawValue))
            #expect(schedules.map(\.cron) == expected.map(\.schedule!.cron))
            #expect(schedules.map(\.priority) == expected.map(\.schedule!.priority))
            for (kind, policy) in try await database.store.policies() {
                #expect(JobDefinition.of(kind)?.policy == policy)
            }
        }
    }
}
