import TestKit
import Testing

/// The HTTP API as clients in other languages meet it. The tests themselves are in `Tests/Web/HTTP`.
@Suite("The HTTP API", .timeLimit(.minutes(15)))
struct HTTPTests {
    private static let suite = PytestSuite(folder: "HTTP", variable: "DARKROOM_HTTP")
    /// The tests that need an object store.
    private static let direct = "test_direct.py"

    /// The other files, by whether their tests need the posts of `world.py`: one run makes these once.
    private static let runs = [true, false].map { needPosts in
        suite.files.filter { $0 != direct && suite.mentions("world", $0) == needPosts }
    }

    @Test("passes the tests of its clients, with real servers and workers", arguments: runs)
    func clients(files: [String]) async throws { try await Self.suite.run(files) }

    @Test("lets phones put photos into an object store themselves", .realStore)
    func onBucket() async throws {
        let bucket = try await TestBucket.make()
        try await Self.suite.run(
            [Self.direct],
            variables: TestBucket.environment.merging(["DARKROOM_BUCKET": bucket.location()]) { $1 })
    }
}
