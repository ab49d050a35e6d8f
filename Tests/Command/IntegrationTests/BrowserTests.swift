import Testing

/// Pages as people see them, in Chromium. The tests themselves are in `Tests/Web/Browser`.
@Suite("Pages in a browser", .timeLimit(.minutes(20)))
struct BrowserTests {
    @Test("pass the tests of their readers, with real servers and workers")
    func readers() async throws {
        let suite = PytestSuite(folder: "Browser", variable: "DARKROOM_BROWSER")
        try await suite.run(suite.files)
    }
}
