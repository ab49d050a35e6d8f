import DarkroomClient
import Postgres

extension ReplicaBenchmark {
    /// Where a reader is.
    struct Place: Sendable {
        let latitude: Double
        let longitude: Double
        let geonameID: Int64
    }

    /// What one load took.
    struct Load: Sendable {
        let feeds: Double
        let seconds: Double
        /// Processor time of each server, the writer first.
        let serverSeconds: [Double]
    }

    /// Asks for feeds, several at once, while votes are cast at a fixed rate and tallied each second.
    func load(
        _ client: DarkroomClient, _ places: [Place], _ database: BenchmarkDatabase, _ servers: [ServerFigures]
    ) async throws -> Load {
        let servedBefore = servers.map(\.cpuSeconds)
        let began = ContinuousClock.now
        let end = began + .seconds(options.seconds)
        let feeds = try await withThrowingTaskGroup(of: Int.self) { (group) async throws -> Int in
            for reader in 0..<options.readers {
                group.addTask {
                    var asked = 0
                    while ContinuousClock.now < end {
                        let number = reader + asked * options.readers
                        try await Self.ask(client, asked % 5, places[number % places.count])
                        asked += 1
                    }
                    return asked
                }
            }
            group.addTask {
                try await steadily(.seconds(1) / options.votesPerSecond, from: began, to: end) {
                    try await database.pool.query(
                        """
                        select darkroom.vote_on_post(\(Int64.random(in: 1...Int64(options.posts))),
                                                     \("voter-\(Int.random(in: 0..<1_000_000))"), 'like')
                        """)
                }
            }
            group.addTask {
                try await steadily(.seconds(1), from: began, to: end) {
                    try await database.pool.query("select darkroom.tally_counters()")
                    try await database.pool.query("select darkroom.tally_map()")
                }
            }
            return try await group.reduce(0, +)
        }
        return Load(
            feeds: Double(feeds), seconds: (.now - began) / .seconds(1),
            serverSeconds: zip(servers, servedBefore).map { $0.cpuSeconds - $1 })
    }

    /// Does something at fixed times, whatever it takes.
    ///
    /// - Returns: 0, the number of feeds that it asked for.
    private func steadily(
        _ pause: Duration, from began: ContinuousClock.Instant, to end: ContinuousClock.Instant,
        _ body: () async throws -> Void
    ) async throws -> Int {
        var due = began
        while due < end {
            try await body()
            due += pause
            try await Task.sleep(until: min(due, end))
        }
        return 0
    }

    /// One of the feeds in turn, and a map.
    private static func ask(_ client: DarkroomClient, _ kind: Int, _ place: Place) async throws {
        switch kind {
        case 0:
            _ = try await client.nearestPosts(latitude: place.latitude, longitude: place.longitude)
        case 1:
            _ = try await client.bestPosts(
                near: FeedArea(latitude: place.latitude, longitude: place.longitude, radiusMetres: 5000))
        case 2:
            _ = try await client.latestPosts(filter: FeedFilter(place: .place(place.geonameID)))
        case 3:
            _ = try await client.topPosts(by: .wilson, filter: FeedFilter(place: .place(place.geonameID)))
        default:
            let box = MapBox(
                south: max(-85, place.latitude - 0.03), west: max(-180, place.longitude - 0.08),
                north: min(85, place.latitude + 0.03), east: min(180, place.longitude + 0.08))
            _ = try await client.mapClusters(in: box, zoom: 14)
        }
    }
}

/// The processor time of a PostgreSQL server: of the postmaster, of the processes that run, and of those that have ended.
struct ServerFigures: Sendable {
    let postmaster: Int32

    var cpuSeconds: Double {
        let server = ProcessFigures(process: postmaster)
        return server.cpuSeconds + server.endedChildrenSeconds
            + server.children.reduce(0) { $0 + ProcessFigures(process: $1).cpuSeconds }
    }
}
