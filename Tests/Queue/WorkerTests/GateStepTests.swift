import JobStore
import Postgres
import Telemetry
import TestKit
import Testing

@testable import Worker

@Suite("The gate of the schema", .timeLimit(.minutes(5)))
struct GateStepTests {
    @Test("begins no step before it is opened and after it is closed, and counts those that are under way")
    func steps() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let configuration = Worker.Configuration(queues: [], host: "test", pid: 1, version: "test")
            let gate = SchemaGate(
                configuration: configuration, wake: Wakeup(), metrics: .unexposed(), log: .silent)
            #expect(await gate.ifOpen { 1 } == nil)
            gate.note(try await database.store.schema())
            let (way, clear) = AsyncStream<Void>.makeStream()
            let step = Task {
                await gate.ifOpen {
                    for await _ in way { break }
                    return 2
                }
            }
            try await until("the step is under way") { gate.stepsUnderWay == 1 }
            gate.note(nil)
            #expect(await gate.ifOpen { 3 } == nil)
            #expect(gate.stepsUnderWay == 1)
            clear.yield()
            #expect(await step.value == 2, "it goes on")
            #expect(gate.stepsUnderWay == 0)
        }
    }
}
