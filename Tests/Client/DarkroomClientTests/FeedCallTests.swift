import DarkroomClient
import FoundationEssentials
import Postgres
import TestKit
import Testing

@Suite("The Swift library's feeds", .timeLimit(.minutes(10)))
struct FeedCallTests {
    private static let seattle = (47.6062, -122.3321)
    private static let town = FeedArea(
        latitude: seattle.0, longitude: seattle.1, radiusMetres: 10_000)

    @Test("latest: newest first, page by page, each post once, and by category, activity, place or uploader")
    func latest() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let posts = try await scene.database.visiblePosts()
            let expected = posts.sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
            let client = scene.client
            let read = try await scene.all { try await client.latestPosts(atMost: 7, after: $0) }
            #expect(read.map(\.id) == expected.map(\.id))
            #expect(read.map(\.publishedAt) == expected.map(\.publishedAt))
            let food = try await client.latestPosts(atMost: 100, filter: FeedFilter(category: "food")).items
                .map(\.id)
            #expect(food == expected.filter { $0.category == "food" }.map(\.id) && !food.isEmpty)
            let picnic = try await client.latestPosts(
                atMost: 100, filter: FeedFilter(category: "food", activity: "picnic")
            ).items
            #expect(
                picnic.map(\.id)
                    == expected.filter { $0.category == "food" && $0.activity == "picnic" }.map(\.id))
            let album = try await client.latestPosts(atMost: 100, filter: FeedFilter(place: .place(1))).items
                .map(\.id)
            #expect(album == expected.filter { $0.place == 1 }.map(\.id) && !album.isEmpty)
            let hers = try await client.latestPosts(atMost: 100, filter: FeedFilter(uploader: "user-3")).items
                .map(\.id)
            #expect(hers == expected.filter { $0.uploader == "user-3" }.map(\.id) && !hers.isEmpty)
            let none = try await client.latestPosts(filter: FeedFilter(uploader: "nobody"))
            #expect(none.items.isEmpty && none.next == nil)
            #expect(try await client.latestPosts(atMost: Int.max).items.count == 60)
        }
    }

    @Test("nearest: by distance along the sphere, page by page, up to the limit")
    func nearest() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let read = try await scene.all { cursor in
                try await client.nearestPosts(
                    latitude: Self.seattle.0, longitude: Self.seattle.1, atMost: 9, after: cursor)
            }
            let posts = try await scene.database.visiblePosts()
            let expected = posts.sorted {
                metres(Self.seattle, ($0.latitude, $0.longitude))
                    < metres(Self.seattle, ($1.latitude, $1.longitude))
            }
            #expect(read.map(\.id) == expected.map(\.id))
            for (post, known) in zip(read, expected) {
                let distance = try #require(post.distanceMetres)
                #expect(abs(distance - metres(Self.seattle, (known.latitude, known.longitude))) < 0.01)
            }
            let close = try await client.nearestPosts(
                latitude: Self.seattle.0, longitude: Self.seattle.1, atMost: 100, radiusMetres: 1500,
                filter: FeedFilter(category: "food"))
            let known = expected.filter {
                $0.category == "food" && metres(Self.seattle, ($0.latitude, $0.longitude)) <= 1500
            }
            #expect(close.items.map(\.id) == known.map(\.id) && !known.isEmpty)
        }
    }

    @Test("within: all posts of a circle, newest first, and since a time")
    func within() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let area = FeedArea(latitude: Self.seattle.0, longitude: Self.seattle.1, radiusMetres: 2000)
            let inside = try await scene.database.visiblePosts()
                .filter { metres(Self.seattle, ($0.latitude, $0.longitude)) <= 2000 }
                .sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }
            let read = try await scene.all {
                try await client.posts(within: area, atMost: 3, after: $0)
            }
            #expect(read.map(\.id) == inside.map(\.id) && inside.count > 3)
            let since = inside[inside.count / 2].publishedAt
            let fresh = try await client.posts(
                within: area, atMost: 100, filter: FeedFilter(publishedSince: since))
            #expect(fresh.items.map(\.id) == inside.filter { $0.publishedAt >= since }.map(\.id))
        }
    }

    @Test("near and good: by score, each post once, and by age alone if nothing else has weight")
    func best() async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let inside = try await scene.database.visiblePosts()
                .filter { metres(Self.seattle, ($0.latitude, $0.longitude)) <= 10_000 }
            let read = try await scene.all {
                try await client.bestPosts(near: Self.town, atMost: 5, after: $0)
            }
            let scores = try read.map { try #require($0.score) }
            #expect(scores == scores.sorted(by: >) && Set(read.map(\.id)) == Set(inside.map(\.id)))
            #expect(read.count == inside.count)
            var weights = FeedWeights(halfLife: .seconds(3600), votes: 0, distance: 0)
            let newest = try await client.bestPosts(near: Self.town, atMost: 100, weights: weights)
            #expect(
                newest.items.map(\.id)
                    == inside.sorted { ($0.publishedAt, $0.id) > ($1.publishedAt, $1.id) }.map(\.id))
            weights.votes = 101
            let refused = weights
            let error = await failure {
                _ = try await client.bestPosts(near: Self.town, weights: refused)
            }
            #expect(error.code == .invalidArgument)
        }
    }

    @Test("boards: by likes, for all posts, an activity, a time and an area", arguments: RankBoard.allCases)
    func boards(board: RankBoard) async throws {
        try await Scene.with(posts: 60) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let voted = try await scene.database.visiblePosts()
            let read = try await scene.all { try await client.topPosts(by: board, atMost: 8, after: $0) }
            #expect(Set(read.map(\.id)) == Set(voted.map(\.id)) && read.count == voted.count)
            let scores = try read.map { try #require($0.score) }
            #expect(scores == scores.sorted(by: >))
            if board == .likes { #expect(read.map(\.likes) == voted.map(\.likes).sorted(by: >)) }

            let picnic = try await client.topPosts(
                by: board, atMost: 100, filter: FeedFilter(activity: "picnic")
            ).items
            #expect(Set(picnic.map(\.id)) == Set(voted.filter { $0.activity == "picnic" }.map(\.id)))
            let album = try await client.topPosts(
                by: board, atMost: 100, filter: FeedFilter(place: .city(0))
            ).items
            #expect(Set(album.map(\.id)) == Set(voted.filter { $0.city == 0 }.map(\.id)))
            let times = voted.map(\.publishedAt).sorted()
            let (since, until) = (times[times.count / 3], times[times.count * 2 / 3])
            let between = try await client.topPosts(
                by: board, atMost: 100, filter: FeedFilter(publishedSince: since, publishedUntil: until)
            ).items
            #expect(
                Set(between.map(\.id))
                    == Set(voted.filter { $0.publishedAt >= since && $0.publishedAt < until }.map(\.id)))
            let near = try await client.topPosts(by: board, atMost: 100, area: Self.town).items
            #expect(
                Set(near.map(\.id))
                    == Set(
                        voted.filter { metres(Self.seattle, ($0.latitude, $0.longitude)) <= 10_000 }.map(
                            \.id)))
            #expect(!picnic.isEmpty && !album.isEmpty && !between.isEmpty && !near.isEmpty)
        }
    }

    @Test("refuse an invalid coordinate or radius and a foreign cursor, each with its code")
    func errors() async throws {
        try await Scene.with(posts: 5) { (scene: Scene) async throws -> Void in
            let client = scene.client
            let cursor = PageCursor("not-a-cursor")
            let nowhere = FeedArea(latitude: 91, longitude: 0, radiusMetres: 100)
            let endless = FeedArea(latitude: 0, longitude: 0, radiusMetres: 2_000_000)
            let calls: [(String, @Sendable () async throws -> Void)] = [
                ("latest", { _ = try await client.latestPosts(after: cursor) }),
                ("nearest", { _ = try await client.nearestPosts(latitude: 91, longitude: 0) }),
                (
                    "nearest, cursor",
                    { _ = try await client.nearestPosts(latitude: 1, longitude: 0, after: cursor) }
                ),
                ("within", { _ = try await client.posts(within: nowhere) }),
                ("within, radius", { _ = try await client.posts(within: endless) }),
                ("best", { _ = try await client.bestPosts(near: nowhere) }),
                ("top", { _ = try await client.topPosts(by: .hot, area: nowhere) }),
                ("top, cursor", { _ = try await client.topPosts(by: .hot, after: cursor) }),
            ]
            for (name, call) in calls {
                let error = await failure(call)
                #expect(error.code == .invalidArgument, "\(name)")
            }
        }
    }

    @Test("return a post with everything that readers see of it")
    func wholePost() async throws {
        try await Scene.with(posts: 1) { (scene: Scene) async throws -> Void in
            let id = try #require(try await scene.database.visiblePosts().first).id
            try await scene.client.setDisplayName(of: "ada", to: "Ada")
            try await scene.execute(
                """
                update darkroom.posts set uploader = 'ada', headline = 'H "1"', caption = E'two\\nlines', link = 'https://example.org/a',
                    category = 'food', activity = 'picnic', taken_at = timestamptz '2026-01-02 03:04:05+00',
                    taken_at_local = '2026-01-02 04:04:05', time_zone = 'Europe/Berlin', latitude = 52.5, longitude = 13.4,
                    country_code = 'DE', country_name = 'Germany', division_code = '16', division_name = 'State of Berlin',
                    country_geonameid = 2921044, division_geonameid = 2950157, city_geonameid = 2950159, city_name = 'Berlin',
                    place_geonameid = 2884985, place_name = 'Kreuzberg', width = 4000, height = 3000, placeholder = '\\x00ff102030'
                """)
            try await scene.execute(
                """
                insert into darkroom.renditions (post_id, name, media_key, sha256, width, height, bytes, format)
                values (\(id), 'square', 'renditions/s"1', sha256('s'), 320, 320, 20000, 'webp'),
                       (\(id), 'large', 'renditions/l', sha256('l'), 1920, 1440, 5000000000, 'jpeg')
                """)
            #expect(try await scene.client.mayShow(mediaKey: "renditions/l"))
            #expect(try await !scene.client.mayShow(mediaKey: "renditions/m"))
            try await scene.client.vote(.like, onPost: id, by: "bob")
            try await scene.execute("select darkroom.tally_counters()")
            let post = try #require(try await scene.client.latestPosts().items.first)
            #expect(post.id == id && post.uploader == "ada" && post.displayName == "Ada")
            #expect(post.headline == "H \"1\"" && post.caption == "two\nlines")
            #expect(post.link == "https://example.org/a" && post.category == "food")
            #expect(post.activity == "picnic" && post.timeZone == "Europe/Berlin")
            #expect(post.takenAt == Date(timeIntervalSince1970: 1_767_323_045))
            #expect(post.takenAtLocal == "2026-01-02T04:04:05")
            #expect(post.latitude == 52.5 && post.longitude == 13.4)
            #expect(post.countryCode == "DE" && post.countryName == "Germany")
            #expect(post.divisionCode == "16" && post.divisionName == "State of Berlin")
            #expect(post.country == 2_921_044 && post.division == 2_950_157)
            #expect(post.city == 2_950_159 && post.cityName == "Berlin")
            #expect(post.place == 2_884_985 && post.placeName == "Kreuzberg")
            for place in [
                FeedPlace.country(2_921_044), .division(2_950_157), .city(2_950_159), .place(2_884_985),
            ] {
                let album = try await scene.client.latestPosts(filter: FeedFilter(place: place)).items
                let board = try await scene.client.topPosts(by: .likes, filter: FeedFilter(place: place))
                    .items
                #expect(album.map(\.id) == [id] && board.map(\.id) == [id], "\(place)")
            }
            #expect(
                try await scene.client.latestPosts(filter: FeedFilter(place: .place(2_950_159))).items.isEmpty
            )
            #expect(post.width == 4000 && post.height == 3000 && post.placeholder == [0, 255, 16, 32, 48])
            #expect(post.likes >= 1 && post.distanceMetres == nil && post.score != nil)
            #expect(post.pictures.map(\.name) == ["large", "square"])
            #expect(post.pictures[0].bytes == 5_000_000_000 && post.pictures[0].format == "jpeg")
            #expect(post.pictures[1].mediaKey == "renditions/s\"1")
            #expect(post.pictures[1].width == 320 && post.pictures[0].height == 1440)
            let sent = try JSONEncoder().encode(post)
            #expect(try JSONDecoder().decode(PublishedPost.self, from: sent) == post)
            #expect(String(decoding: sent, as: UTF8.self).contains("\"mediaKey\""))
            let details = try #require(try await scene.client.details(of: id))
            #expect(details.pictures == post.pictures && details.takenAt == post.takenAt)
            #expect(details.city == post.city && details.cityName == "Berlin")
        }
    }
}
