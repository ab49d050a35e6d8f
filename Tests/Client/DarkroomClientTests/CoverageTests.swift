import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite("The Swift library", .timeLimit(.minutes(10)))
struct CoverageTests {
    @Test("has a call for every function that an app may call")
    func everyFunction() async throws {
        let folder = Checkout.root + "/Sources/Client/DarkroomClient"
        let source = try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { FileManager.default.contents(atPath: "\(folder)/\($0)") }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let names = try await database.pool.query(
                "select name from darkroom.public_functions() where for_apps or for_readers"
            )
            .map { try $0.decode("name", as: String.self) }
            #expect(names.count >= 28)
            #expect(names.filter { !source.contains("darkroom.\($0)(") } == [])
        }
    }
}
