import DarkroomClient
import FoundationEssentials
import JobStore
import Postgres
import Synchronization
import TestKit
import Testing

@Suite("The Swift library's calls", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("are all in the list of the next test")
    func complete() throws {
        let folder = Checkout.root + "/Sources/Client/DarkroomClient"
        let source = try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { FileManager.default.contents(atPath: "\(folder)/\($0)") }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        let declared = source.matches(of: /public func (\w+)[^{]*async throws/).map { String($0.1) }
        let photo = StoredPhoto(key: "k", sha256: "0", byteCount: 1)
        // A store in a directory signs nothing (see DirectUploadTests).
        let others = ["signUpload", "signDownload"]
        let listed = EveryCall.all(photo, path: "").map(\.name) + others
        #expect(declared.sorted() == listed.sorted())
    }

    @Test("throw CancellationError when they are cancelled before they start and while they wait")
    func cancelled() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let client = scene.client
            let photo = try await client.store(bytes: [1, 2, 3])
            let path = Checkout.root + "/docs/demo.jpg"
            // An inbox can be read up to an event that there is.
            try await scene.execute("select nextval('darkroom.event_numbers')")
            let rival = try await PostgresConnection.connect(scene.database.configuration)
            try await rival.query("begin")
            let tables = try await rival.query(
                """
                select string_agg(oid::regclass::text, ', ') as names from pg_class
                where relnamespace = 'darkroom'::regnamespace and relkind in ('r', 'p')
                """)
            let names: String = try #require(tables.first).decode("names")
            try await rival.query("lock table \(unescaped: names) in access exclusive mode")
            let login = try await scene.database.login(.api)
            for (name, call) in EveryCall.all(photo, path: path) {
                let hasEnded = Atomic(false)
                let waiting = Task {
                    defer { hasEnded.store(true, ordering: .relaxed) }
                    try await call(client)
                }
                while try await scene.database.pool.query(
                    "select from pg_stat_activity where usename = \(login) and wait_event_type = 'Lock'"
                ).isEmpty, !hasEnded.load(ordering: .relaxed) {
                    try await Task.sleep(for: .milliseconds(2))
                }
                waiting.cancel()
                await #expect(throws: CancellationError.self, "\(name), while it waits") {
                    try await waiting.value
                }
                let early = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await call(client)
                }
                await #expect(throws: CancellationError.self, "\(name), before it starts") {
                    try await early.value
                }
            }
            await rival.close()
        }
    }
}
