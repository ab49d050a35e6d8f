import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@testable import Ingestion

@Suite("The registered kinds of jobs", .timeLimit(.minutes(15)))
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
            #expect(schedules.map(\.queue) == expected.map(\.schedule!.queue))
            #expect(schedules.map(\.priority) == expected.map(\.schedule!.priority))
            for (kind, policy) in try await database.store.policies() {
                #expect(JobDefinition.of(kind)?.policy == policy)
            }
        }
    }

    @Test("name every stage that a handler enters, and every reason that it rejects for, and no others")
    func labels() throws {
        var stages: Set<String> = []
        var reasons: Set<String> = []
        for folder in ["Posts", "Queue"].map({ "\(Checkout.root)/Sources/\($0)" }) {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
            where path.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
                stages.formUnion(text.matches(of: /trace\.enter\("(\w+)"/).map { String($0.1) })
                reasons.formUnion(text.matches(of: /\.rejected\(\s*"(\w+)"/).map { String($0.1) })
            }
        }
        stages.formUnion(TallyHandler.steps.map(\.stage))
        #expect(Set(JobDefinition.all.flatMap(\.stages)) == stages)
        let others = JobDefinition.all.flatMap(\.rejections).filter { !UploadRejection.reasons.contains($0) }
        #expect(Set(others) == reasons)
    }

    @Test("reject photos for the reasons that docs/rejections.md explains")
    func rejections() throws {
        let page = try String(contentsOfFile: "\(Checkout.root)/docs/rejections.md", encoding: .utf8)
        let explained = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .flatMap { row in
                row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.1) }
            }
        #expect(explained.sorted() == JobDefinition.of(.ingest)?.rejections.sorted())
    }
}
