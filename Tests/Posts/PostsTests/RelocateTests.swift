import FoundationEssentials
import JobQueue
import Postgres
import Posts
import TestKit
import Testing

@Suite("Relocated posts", .timeLimit(.minutes(15)))
struct RelocateTests {
    /// A post's time as text from SQL.
    private struct Clock: Equatable {
        var taken: String?
        var local: String?
        var source: String?
    }

    private static func clock(of post: Int64, in database: QueueDatabase) async throws -> Clock {
        let rows = try await database.pool.query(
            """
            select (taken_at at time zone 'UTC')::text as taken, taken_at_local::text as local,
                   taken_at_offset_source as source from darkroom.posts where post_id = \(post)
            """)
        return Clock(
            taken: try rows[0].decode("taken", as: String?.self),
            local: try rows[0].decode("local", as: String?.self),
            source: try rows[0].decode("source", as: String?.self))
    }

    private static func publish(_ time: PostTime, in database: QueueDatabase) async throws -> Int64 {
        try await database.enqueue()
        var post = PublishingTests.post(upload: try await database.claimOne().subject)
        post.time = time
        post.timeZone = "Africa/Johannesburg"
        return try await database.pool.withTransaction { [post] in
            try await PublishingStore.publish(post, in: $0)
        }
    }

    private static func relocate(_ post: Int64, zone: String?, in database: QueueDatabase) async throws {
        try await database.pool.withTransaction { transaction in
            let known = try await RelocationStore.location(of: post, in: transaction)
            let new = NewLocation(
                post: post, exactLatitude: known.exactLatitude, exactLongitude: known.exactLongitude,
                privacy: known.privacy, policy: 1, locatedBy: 7, latitude: known.latitude,
                longitude: known.longitude, place: known.place, timeZone: zone)
            try await RelocationStore.relocate([new], in: transaction)
        }
    }

    private static let instant = Date(timeIntervalSince1970: 1_721_059_200)

    @Test(
        "compute only the times again that depend on the place's time zone",
        arguments: [
            // 12:00 on the camera's clock, by the place's zone: summer in New York.
            (
                PostTime(instant: nil, local: "2024-07-15T12:00:00", source: .exif), "America/New_York",
                Clock(taken: "2024-07-15 16:00:00", local: "2024-07-15 12:00:00", source: "place")
            ),
            (
                PostTime(instant: nil, local: "2024-07-15T12:00:00", source: .exif), "Mars/Olympus_Mons",
                Clock(taken: "2024-07-15 10:00:00", local: "2024-07-15 12:00:00", source: "place")
            ),
            // The photo had its offset, so the instant is known, and local time at the place is another hour.
            (
                PostTime(
                    instant: instant, local: "2024-07-15T18:00:00", source: .exif, offsetSource: .offsetTag),
                "America/New_York",
                Clock(taken: "2024-07-15 16:00:00", local: "2024-07-15 12:00:00", source: "offset_tag")
            ),
            // The uploader gave the instant; local time at the place is another hour.
            (
                PostTime(instant: instant, local: nil, source: .uploader), "America/New_York",
                Clock(taken: "2024-07-15 16:00:00", local: "2024-07-15 12:00:00", source: nil)
            ),
        ] as [(PostTime, String, Clock)])
    private func times(time: PostTime, zone: String, expected: Clock) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.publish(time, in: database)
            let before = try await Self.clock(of: post, in: database)
            try await Self.relocate(post, zone: "Africa/Johannesburg", in: database)
            #expect(try await Self.clock(of: post, in: database) == before)
            try await Self.relocate(post, zone: zone, in: database)
            #expect(try await Self.clock(of: post, in: database) == expected)
        }
    }

    @Test("keep their exact location, which is deleted with the post")
    func exact() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            let post = try await Self.publish(
                PostTime(instant: Self.instant, local: nil, source: .uploader), in: database)
            func count() async throws -> Int {
                let rows = try await database.pool.query(
                    "select count(*) as rows from darkroom.post_exact_locations where latitude = -33.9175")
                return try rows[0].decode("rows", as: Int.self)
            }
            try await Self.relocate(post, zone: nil, in: database)
            #expect(try await count() == 1)
            try await database.pool.query("delete from darkroom.posts")
            #expect(try await count() == 0)
        }
    }
}
