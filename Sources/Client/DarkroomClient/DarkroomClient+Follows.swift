public import FoundationEssentials
import Postgres

/// A place or an area that a person follows.
public struct Follow: Sendable, Hashable {
    public enum Subject: Sendable, Hashable {
        case place(FeedPlace)
        case area(FeedArea)
    }

    public let id: Int64
    public let subject: Subject
    /// Only posts of this category; nil for all.
    public let category: String?
    public let followedAt: Date
    let cursor: PageCursor
}

extension DarkroomClient {
    /// Lets a person follow a place or an area.
    ///
    /// - Parameters:
    ///   - subject: an area has a radius of 1 to 100,000 metres.
    ///   - category: only posts of it; nil for all.
    /// - Returns: the number of the follow: the same one if the person follows it already.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for what is no place or area, `notPossible` beyond
    ///   `settings.follows_at_most`.
    @discardableResult
    public func follow(
        _ subject: Follow.Subject, category: String? = nil, for person: String
    ) async throws -> Int64 {
        let arguments: PostgresQuery =
            switch subject {
            case .place(let place): "in_place => \(place.key)"
            case .area(let area):
                "latitude => \(area.latitude), longitude => \(area.longitude), radius_m => \(area.radiusMetres)"
            }
        return try await value(
            "select darkroom.follow(\(person), \(arguments), in_category => \(category)) as value")
    }

    /// Ends a follow.
    ///
    /// - Returns: false if the person has none of this number.
    @discardableResult
    public func unfollow(_ follow: Int64, for person: String) async throws -> Bool {
        try await value("select darkroom.unfollow(\(follow), \(person)) as value")
    }

    /// The places and areas that a person follows, the latest first.
    ///
    /// - Parameters:
    ///   - atMost: 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    public func follows(
        of person: String, atMost: Int = 20, after: PageCursor? = nil
    ) async throws -> Page<Follow> {
        let follows = try await rows(
            """
            select follow_id, level, geonameid, latitude, longitude, radius_m, category, followed_at, cursor
            from darkroom.follows(\(person), \(Int64(atMost)), \(after?.text))
            """
        ) { row in
            Follow(
                id: try row.decode("follow_id"), subject: try Follow.Subject(row: row),
                category: try row.decode("category"), followedAt: try row.decode("followed_at"),
                cursor: PageCursor(try row.decode("cursor")))
        }
        return Page(items: follows, next: follows.last?.cursor)
    }

    /// What is posted in the places and areas that a person follows, the newest first.
    ///
    /// - Parameters:
    ///   - atMost: 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    ///   - origin: where the reader is, in degrees: the posts have their distances from there.
    public func followedPosts(
        of person: String, atMost: Int = 20, after: PageCursor? = nil,
        from origin: (latitude: Double, longitude: Double)? = nil
    ) async throws -> Page<PublishedPost> {
        try await page(
            """
            darkroom.followed_posts(\(person), \(Int64(atMost)), \(after?.text), \(origin?.latitude), \(origin?.longitude))
            """)
    }

    /// Who follows a place or area in which a post is that readers see, by name: for a push message after the event `published`.
    ///
    /// Its uploader and those who have blocked its author are left out.
    ///
    /// - Parameters:
    ///   - atMost: 1 to 1,000; other numbers are clamped.
    ///   - after: the last person of the previous page.
    public func followers(
        ofPost post: Int64, atMost: Int = 1000, after: String? = nil
    ) async throws -> [String] {
        try await rows("select person from darkroom.post_followers(\(post), \(Int64(atMost)), \(after))") {
            try $0.decode("person")
        }
    }
}

extension Follow.Subject {
    fileprivate init(row: PostgresRow) throws {
        guard let level = try row.decode("level", as: String?.self) else {
            self = .area(
                FeedArea(
                    latitude: try row.decode("latitude"), longitude: try row.decode("longitude"),
                    radiusMetres: try row.decode("radius_m")))
            return
        }
        let number = try row.decode("geonameid", as: Int64.self)
        switch level {
        case "country": self = .place(.country(number))
        case "division": self = .place(.division(number))
        case "city": self = .place(.city(number))
        case "place": self = .place(.place(number))
        default: throw PostgresError(.decoding, "“\(level)” is not a level of a place")
        }
    }
}
