import DarkroomClient
import JobStore
import Postgres
import TestKit
import Testing

@Suite("The Swift library behind PgBouncer in transaction mode", .timeLimit(.minutes(15)))
struct PoolerTests {
    /// Calls `body` with a client through a PgBouncer that has two connections to the server.
    private static func with(
        _ scene: Scene, connections: Int = 8,
        _ body: (DarkroomClient, PgBouncerProcess, String) async throws -> Void
    ) async throws {
        let (login, name) = (try await scene.database.login(.api), try await scene.database.name())
        try await PgBouncerProcess.with(poolSize: 2, logins: [login]) {
            (bouncer: PgBouncerProcess) async throws -> Void in
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                let url = bouncer.url(database: name, login: login)
                let client = try DarkroomClient(database: url, media: media, connections: connections)
                let result: Result<Void, any Error>
                do {
                    try await body(client, bouncer, url)
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await client.close()
                try result.get()
            }
        }
    }

    private static func outcomes(_ client: DarkroomClient) async throws -> [String] {
        let path = Checkout.root + "/docs/demo.jpg"
        let photo = try await client.store(photo: path)
        var outcomes: [String] = []
        for (name, call) in EveryCall.all(photo, path: path) {
            do {
                try await call(client)
                outcomes.append("\(name): done")
            } catch let error as DarkroomError {
                outcomes.append("\(name): \(error.code) \(error.constraint ?? "")")
            }
        }
        return outcomes
    }

    @Test("every call does what it does without")
    func everyCall() async throws {
        try await Scene.with(posts: 20) { (direct: Scene) async throws -> Void in
            try await Scene.with(posts: 20) { (pooled: Scene) async throws -> Void in
                try await Self.with(pooled) {
                    (client: DarkroomClient, bouncer: PgBouncerProcess, url: String) async throws -> Void in
                    let expected = try await Self.outcomes(direct.client)
                    #expect(try await Self.outcomes(client) == expected)
                    #expect(expected.count { $0.hasSuffix("done") } > 30)
                    #expect(expected.filter { $0.contains(": database") } == [])
                }
            }
        }
    }

    @Test("many readers and voters share two connections of the server, whatever the login's settings are")
    func shared() async throws {
        try await Scene.with(posts: 20) { (scene: Scene) async throws -> Void in
            let login = try await scene.database.login(.api)
            try await scene.execute(
                "update darkroom.posts set placeholder = '\\x00ff5c2730', taken_at = published_at")
            for setting in [
                "bytea_output = 'escape'", "datestyle = 'German'",
                "timezone = 'Asia/Tokyo'",
            ] {
                try await scene.execute("alter role \(unescaped: login) set \(unescaped: setting)")
            }
            let expected = try await scene.client.latestPosts().items
            #expect(expected.count == 20)
            try await Self.with(scene) {
                (client: DarkroomClient, bouncer: PgBouncerProcess, url: String) async throws -> Void in
                #expect(try await client.latestPosts().items == expected)
                // It holds the session that the client has settled, so the client gets another one.
                let rival = try await PostgresConnection.connect(PostgresConfiguration(url: url))
                try await rival.query("begin")
                #expect(try await client.latestPosts().items == expected)
                try await rival.query("rollback")
                await rival.close()
                try await withThrowingTaskGroup(of: Void.self) { (group) async throws -> Void in
                    for number in 0..<16 {
                        group.addTask {
                            for _ in 0..<10 {
                                let items = try await client.latestPosts().items
                                #expect(items.map(\.id) == expected.map(\.id))
                                try await client.vote(.like, onPost: items[number].id, by: "user-\(number)")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let sessions = try await scene.number(
                    "select count(*) as n from pg_stat_activity where usename = \(login) and application_name <> 'darkroom-client'"
                )
                #expect(sessions <= 2)
            }
        }
    }
}
