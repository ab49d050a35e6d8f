import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import Posts
import TestKit
import Testing

@Suite("Posts", .timeLimit(.minutes(15)))
struct PublishingTests {
    static func post(upload: Int64) -> NewPost {
        var post = NewPost(
            upload: upload, latitude: -33.9175, longitude: 18.4026, locationSource: .exif,
            place: PostPlace(
                country: .init(code: "ZA", name: "South Africa", geonameid: 953_987),
                division: .init(code: "ZA.11", name: "Western Cape", geonameid: 1_085_599),
                city: .init(geonameid: 3_369_157, name: "Cape Town"),
                place: .init(geonameid: 3_361_934, name: "Sea Point", distanceMetres: 1900.5)),
            time: PostTime(
                instant: Date(timeIntervalSince1970: 1_384_795_660), local: "2013-11-18T19:27:40",
                source: .exif),
            width: 497, height: 331, format: "jpeg", stripped: ["EXIF", "GPS"],
            renditions: [
                PostRendition(
                    name: "square", mediaKey: "renditions/ab/cd/abcd.jpg",
                    sha256: String(repeating: "ab", count: 32), width: 320, height: 320, byteCount: 4321,
                    format: "jpeg")
            ])
        post.placeholder = [0, 127, 128, 255, 1, 2]
        // Above the range of a signed number.
        post.perceptualHash = 0xF0E1_D2C3_B4A5_9687
        post.camera = PostCamera(make: "Apple", model: nil)
        // By the policy in force.
        post.location = PostLocation(
            exactLatitude: post.latitude, exactLongitude: post.longitude, accuracyMetres: nil,
            precision: .point, privacy: .grid10m, policy: 1, locatedBy: 0)
        return post
    }

    static func publish(in database: QueueDatabase, uploader: String = "ada") async throws -> Int64 {
        try await database.enqueue(uploader: uploader)
        let claimed = try await database.claimOne()
        return try await database.pool.withTransaction { transaction in
            let id = try await PublishingStore.publish(post(upload: claimed.subject), in: transaction)
            try await JobStore.end(claimed.lease, as: .succeeded, in: transaction)
            return id
        }
    }

    @Test("come back as they were published")
    func roundTrip() async throws {
        try await QueueDatabase.with { database in
            let id = try await Self.publish(in: database)
            let record = try #require(try await database.reading.post(id))
            let original = Self.post(upload: record.upload)
            #expect(record.state == .published)
            #expect(record.latitude == original.latitude && record.longitude == original.longitude)
            #expect(record.place == original.place)
            #expect(record.time == original.time)
            #expect(record.stripped == original.stripped)
            #expect(record.renditions == original.renditions)
            #expect(record.placeholder == original.placeholder)
            #expect(record.perceptualHash == original.perceptualHash)
            #expect(record.camera == original.camera)
            let events = try await database.pool.query(
                "select event from darkroom.outbox where post_id = \(id)")
            #expect(try events.map { try $0.decode("event", as: String.self) } == ["published"])
        }
    }

    @Test(
        "get an instant from the place's time zone if the photo has no offset",
        arguments: [
            // Summer and winter in Cape Town and New York, and an unknown zone.
            ("Africa/Johannesburg", "2013-07-18T19:27:40", "2013-07-18 17:27:40+00", "place"),
            ("America/New_York", "2024-01-15T12:00:00", "2024-01-15 17:00:00+00", "place"),
            ("America/New_York", "2024-07-15T12:00:00", "2024-07-15 16:00:00+00", "place"),
            // Of an hour that occurs twice, the second; in an hour that is skipped, as if it were not.
            ("Europe/Berlin", "2024-10-27T02:30:00", "2024-10-27 01:30:00+00", "place"),
            ("Europe/Berlin", "2024-03-31T02:30:00", "2024-03-31 01:30:00+00", "place"),
            ("Mars/Olympus_Mons", "2024-07-15T12:00:00", nil, nil),
            (nil, "2024-07-15T12:00:00", nil, nil),
        ] as [(String?, String, String?, String?)])
    func inferredTimes(zone: String?, clock: String, instant: String?, source: String?) async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let claimed = try await database.claimOne()
            var post = Self.post(upload: claimed.subject)
            post.time = PostTime(instant: nil, local: clock, source: .exif)
            post.timeZone = zone
            let ready = post
            let id = try await database.pool.withTransaction {
                try await PublishingStore.publish(ready, in: $0)
            }
            let rows = try await database.pool.query(
                """
                select (taken_at at time zone 'UTC')::text || '+00' as taken, taken_at_offset_source as source,
                       to_char(taken_at_local, 'YYYY-MM-DD"T"HH24:MI:SS') as clock, time_zone
                from darkroom.posts where post_id = \(id)
                """)
            #expect(try rows[0].decode("taken", as: String?.self) == instant)
            #expect(try rows[0].decode("source", as: String?.self) == source)
            #expect(try rows[0].decode("clock", as: String?.self) == clock)
            #expect(try rows[0].decode("time_zone", as: String?.self) == zone)
        }
    }

    @Test(
        "show the place's local time, and do not believe a GPS time stamp that copies the camera's clock",
        arguments: [
            // A camera that was not set forward on a journey: 17:11 the day before in Santa Monica.
            (
                "America/Los_Angeles", "2024-07-16T03:11:00", 180, .offsetTag, "2024-07-16 00:11:00",
                "2024-07-15T17:11:00", "offset_tag"
            ),
            (
                "America/Los_Angeles", "2024-07-16T03:11:00", 180, .gpsTimeStamp, "2024-07-16 00:11:00",
                "2024-07-15T17:11:00", "gps_time_stamp"
            ),
            (
                "Europe/Madrid", "2022-01-12T07:30:14.364", 60, .gpsTimeStamp, "2022-01-12 06:30:14.364",
                "2022-01-12T07:30:14.364", "gps_time_stamp"
            ),
            // Copies: in Madrid clocks do not show UTC, in London only in winter, in Accra always.
            (
                "Europe/Madrid", "2022-01-12T07:30:14.364", 0, .gpsTimeStamp, "2022-01-12 06:30:14.364",
                "2022-01-12T07:30:14.364", "place"
            ),
            (
                "Europe/London", "2022-07-12T07:30:14", 0, .gpsTimeStamp, "2022-07-12 06:30:14",
                "2022-07-12T07:30:14", "place"
            ),
            (
                "Europe/London", "2022-01-12T07:30:14", 0, .gpsTimeStamp, "2022-01-12 07:30:14",
                "2022-01-12T07:30:14", "gps_time_stamp"
            ),
            (
                "Africa/Accra", "2022-07-12T07:30:14", 0, .gpsTimeStamp, "2022-07-12 07:30:14",
                "2022-07-12T07:30:14", "gps_time_stamp"
            ),
            // An offset that the camera states is no copy.
            (
                "Europe/Madrid", "2022-01-12T07:30:14", 0, .offsetTag, "2022-01-12 07:30:14",
                "2022-01-12T08:30:14", "offset_tag"
            ),
            // Without a zone, the camera's clock is all that there is.
            (nil, "2022-01-12T07:30:14", 0, .gpsTimeStamp, nil, "2022-01-12T07:30:14", nil),
            (
                nil, "2022-01-12T07:30:14", 60, .gpsTimeStamp, "2022-01-12 06:30:14", "2022-01-12T07:30:14",
                "gps_time_stamp"
            ),
        ] as [(String?, String, Int, PostTime.OffsetSource, String?, String, String?)])
    func camerasTimes(
        zone: String?, clock: String, offset: Int, offsetSource: PostTime.OffsetSource, instant: String?,
        local: String, source: String?
    ) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await database.enqueue()
            var post = Self.post(upload: try await database.claimOne().subject)
            let seconds = try await database.pool.query(
                "select extract(epoch from \(clock)::timestamp)::float8 - \(offset) * 60 as seconds")
            post.time = PostTime(
                instant: Date(timeIntervalSince1970: try seconds[0].decode("seconds", as: Double.self)),
                local: clock, source: .exif, offsetSource: offsetSource)
            post.timeZone = zone
            let id = try await database.pool.withTransaction { [post] in
                try await PublishingStore.publish(post, in: $0)
            }
            let time = try #require(try await database.reading.post(id)).time
            #expect(time?.local == local)
            #expect(time?.offsetSource?.rawValue == source)
            let rows = try await database.pool.query(
                "select (taken_at at time zone 'UTC')::text as taken from darkroom.posts where post_id = \(id)"
            )
            #expect(try rows[0].decode("taken", as: String?.self) == instant)
        }
    }

    @Test("show a time that the uploader gave in the place's local time")
    func uploadersTimes() async throws {
        try await QueueDatabase.with { database in
            try await database.enqueue()
            let claimed = try await database.claimOne()
            var post = Self.post(upload: claimed.subject)
            post.time = PostTime(
                instant: Date(timeIntervalSince1970: 1_721_059_200), local: nil, source: .uploader)
            post.timeZone = "America/New_York"
            let ready = post
            let id = try await database.pool.withTransaction {
                try await PublishingStore.publish(ready, in: $0)
            }
            let record = try #require(try await database.reading.post(id))
            #expect(
                record.time
                    == PostTime(
                        instant: Date(timeIntervalSince1970: 1_721_059_200), local: "2024-07-15T12:00:00",
                        source: .uploader))
        }
    }

    @Test("are published once per upload, even by two workers with a lease each")
    func once() async throws {
        try await QueueDatabase.with { database in
            let id = try await Self.publish(in: database)
            let upload = try #require(try await database.reading.post(id)).upload
            let error = await #expect(throws: PostgresError.self) {
                try await database.pool.withTransaction {
                    _ = try await PublishingStore.publish(Self.post(upload: upload), in: $0)
                }
            }
            #expect(error?.constraint == "one_post_an_upload")
        }
    }
}
