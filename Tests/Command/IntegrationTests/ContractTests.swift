import ChildProcess
import JobStore
import TestKit
import Testing

/// What back ends in other languages must do. The tests themselves are in `Tests/Client/Contract`.
@Suite("The contract for back ends", .timeLimit(.minutes(15)))
struct ContractTests {
    @Test("is kept by the programs next to it, and the check finds each fault")
    func programs() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.makeLogins()
            let app = try await database.url(as: .api)
            try await withTemporaryDirectory { (folder: String) async throws -> Void in
                var environment = ChildProgram.plainEnvironment
                environment["HOME"] = folder
                environment["DARKROOM_CHECK"] = Extent.of(nil, check: "all")
                let output = try await ChildProgram(
                    Checkout.root + "/Tests/Client/Contract/judge", [database.url, app, folder],
                    environment: environment
                ).run()
                // The languages that are missing are among it.
                print(output.standardOutput)
                #expect(output.ending == .exited(0), "\(output.standardOutput)\(output.standardError)")
            }
        }
    }
}
