import DarkroomClient
import FoundationEssentials
import JobStore
import Postgres
import Synchronization
import TestKit
import Testing

@Suite("The Swift library's calls", .timeLimit(.minutes(10)))
struct CancellationTests {
    private typealias Call = @Sendable (DarkroomClient) async throws -> Void

    /// Every call that throws, by the name of its method.
    private static func calls(_ photo: StoredPhoto, path: String) -> [(name: String, call: Call)] {
        let box = MapBox(south: 1, west: 1, north: 2, east: 2)
        let area = FeedArea(latitude: 1, longitude: 1, radiusMetres: 10)
        let details = UploadDetails(uploader: "ada")
        var hello = details
        hello.headline = "Hello"
        hello.coordinates = (1, 1)
        let text = hello
        let cluster: Int64 = 10 << 40 | 1 << 20 | 1
        return [
            ("store", { _ = try await $0.store(photo: path) }),
            ("store", { _ = try await $0.store(bytes: [1]) }),
            ("enqueue", { _ = try await $0.enqueue(photo: path, details) }),
            ("enqueue", { _ = try await $0.enqueue(photo, details) }),
            ("enqueue", { _ = try await $0.enqueue([(photo, details)]) }),
            ("status", { _ = try await $0.status(of: 1) }),
            ("cancel", { _ = try await $0.cancel(1) }),
            ("comment", { try await $0.comment("Hello", onPost: 1, by: "ada") }),
            ("deleteComment", { try await $0.deleteComment(1, by: "ada") }),
            ("comments", { _ = try await $0.comments(ofPost: 1) }),
            ("comment", { _ = try await $0.comment(1) }),
            ("report", { try await $0.report(comment: 1, by: "eve", for: .spam) }),
            ("check", { _ = try await $0.check(details) }),
            (
                "edit",
                { _ = try await $0.edit(post: 1, of: "ada", headline: nil, caption: nil, category: nil) }
            ),
            ("ownPosts", { _ = try await $0.ownPosts(of: "ada") }),
            ("enqueue", { _ = try await $0.enqueue(text: text) }),
            ("inbox", { _ = try await $0.inbox(of: "ada") }),
            ("unread", { _ = try await $0.unread(of: "ada") }),
            ("readInbox", { _ = try await $0.readInbox(of: "ada", upTo: 1) }),
            ("chooseInboxEvents", { try await $0.chooseInboxEvents(nil, of: "ada") }),
            ("inboxEvents", { _ = try await $0.inboxEvents(of: "ada") }),
            ("createActivity", { _ = try await $0.createActivity("Fair") }),
            ("updateActivity", { _ = try await $0.updateActivity("Fair") }),
            ("activity", { _ = try await $0.activity("Fair") }),
            ("activities", { _ = try await $0.activities() }),
            ("events", { _ = try await $0.events(for: "mail") }),
            ("acknowledge", { try await $0.acknowledge(eventsUpTo: 0, for: "mail") }),
            ("latestPosts", { _ = try await $0.latestPosts() }),
            ("nearestPosts", { _ = try await $0.nearestPosts(latitude: 1, longitude: 1) }),
            ("posts", { _ = try await $0.posts(within: area) }),
            ("bestPosts", { _ = try await $0.bestPosts(near: area) }),
            ("topPosts", { _ = try await $0.topPosts(by: .hot) }),
            ("mapClusters", { _ = try await $0.mapClusters(in: box, zoom: 10) }),
            ("mapPhotos", { _ = try await $0.mapPhotos(in: box, zoom: 10) }),
            ("posts", { _ = try await $0.posts(ofCluster: cluster) }),
            ("location", { _ = try await $0.location(ofCluster: cluster) }),
            ("statistics", { _ = try await $0.statistics(ofUploader: "ada") }),
            ("setDisplayName", { try await $0.setDisplayName(of: "ada", to: "Ada") }),
            ("erase", { try await $0.erase(person: "ada") }),
            ("details", { _ = try await $0.details(of: 1) }),
            ("report", { try await $0.report(post: 1, by: "eve", for: .spam) }),
            ("decisions", { _ = try await $0.decisions(onReportsBy: "ada") }),
            ("mayShow", { _ = try await $0.mayShow(mediaKey: "renditions/a") }),
            ("appeal", { try await $0.appeal(post: 1, by: "ada", "Why?") }),
            ("delete", { try await $0.delete(post: 1, of: "ada") }),
            ("vote", { try await $0.vote(.like, onPost: 1, by: "bob") }),
            ("vote", { try await $0.vote(.like, onComment: 1, by: "bob") }),
            ("countViews", { try await $0.countViews(of: [1]) }),
            ("countViews", { try await $0.countViews([1: 2]) }),
        ]
    }

    @Test("are all in the list of the next test")
    func complete() throws {
        let folder = Checkout.root + "/Sources/Client/DarkroomClient"
        let source = try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { FileManager.default.contents(atPath: "\(folder)/\($0)") }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        let declared = source.matches(of: /public func (\w+)[^{]*async throws/).map { String($0.1) }
        let photo = StoredPhoto(key: "k", sha256: "0", byteCount: 1)
        #expect(declared.sorted() == Self.calls(photo, path: "").map(\.name).sorted())
    }

    @Test("throw CancellationError when they are cancelled before they start and while they wait")
    func cancelled() async throws {
        try await Scene.with { (scene: Scene) async throws -> Void in
            let client = scene.client
            let photo = try await client.store(bytes: [1, 2, 3])
            let path = Checkout.root + "/docs/gallery.jpg"
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
            for (name, call) in Self.calls(photo, path: path) {
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
