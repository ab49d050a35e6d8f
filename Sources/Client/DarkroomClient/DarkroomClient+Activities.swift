public import FoundationEssentials
import Postgres

/// A circle on the map.
public struct ActivityArea: Sendable, Hashable {
    /// Of the centre, in degrees.
    public var latitude: Double
    public var longitude: Double
    /// Above 0, at most 1,000,000 metres.
    public var radius: Double

    public init(latitude: Double, longitude: Double, radius: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
    }
}

/// Something that happens at a place and time. Feeds, boards and maps with its name as their activity show its posts.
public struct Activity: Sendable, Hashable {
    /// As posts have it.
    public let name: String
    public let area: ActivityArea?
    public let beginsAt: Date?
    /// When its posts end, if the policy lets them end with their activity. Nil for never.
    public let endsAt: Date?
    /// Other names that mean it.
    public let aliases: [String]
    /// While posts are yet to follow a change: of how many this was seen to so far. Nil when all have followed.
    public let postsMoved: Int?
    /// From the coordinate of the search to the area, in metres; nil in other lists.
    public let distance: Double?
}

extension DarkroomClient {
    /// Creates an activity.
    ///
    /// - Parameters:
    ///   - name: 1 to 100 characters.
    ///   - aliases: at most 20 other names that mean it, wherever a name is given.
    /// - Returns: the name as it is stored.
    /// - Throws: ``DarkroomError`` with `conflict` if another activity has one of the names, in any case; `invalidArgument`
    ///   for a value out of range; `notPossible` if the login has as many activities as it may have.
    @discardableResult
    public func createActivity(
        _ name: String, area: ActivityArea? = nil, beginsAt: Date? = nil, endsAt: Date? = nil,
        aliases: [String] = []
    ) async throws -> String {
        try await value(
            """
            select darkroom.create_activity(
                \(name), \(area?.latitude), \(area?.longitude), \(area?.radius), \(beginsAt), \(endsAt), \(aliases)::text[]) as value
            """)
    }

    /// Changes an activity. What is nil stays as it is. Its posts follow within a second or two; if they are many thousands,
    /// this takes longer: see ``Activity/postsMoved``. Apps cannot change what an operator made.
    ///
    /// - Parameters:
    ///   - name: its name or an alias.
    ///   - aliases: all other names from now on.
    /// - Returns: false if there is no such activity.
    /// - Throws: as ``createActivity(_:area:beginsAt:endsAt:aliases:)``; `notPermitted` if an operator made the activity, and
    ///   `notPossible` if it takes away an alias whose posts are being moved.
    @discardableResult
    public func updateActivity(
        _ name: String, area: ActivityArea? = nil, beginsAt: Date? = nil, endsAt: Date? = nil,
        aliases: [String]? = nil
    ) async throws -> Bool {
        try await value(
            """
            select darkroom.update_activity(
                \(name), \(area?.latitude), \(area?.longitude), \(area?.radius), \(beginsAt), \(endsAt), \(aliases)::text[]) as value
            """)
    }

    /// An activity by its name or an alias, also one that is over; nil if it was not created.
    public func activity(_ name: String) async throws -> Activity? {
        try await rows("select \(Self.columns) from darkroom.activity(\(name))") { try Activity($0) }.first
    }

    /// The activities that are not over: those nearest to a coordinate first, or the latest created first.
    ///
    /// - Parameters:
    ///   - latitude: in degrees; give both coordinates or neither.
    ///   - radius: leaves out activities whose areas are farther away, in metres; only with a coordinate.
    ///   - atMost: how many, 1 to 100; other numbers are clamped.
    ///   - after: the `next` of the previous page.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for an invalid coordinate or cursor.
    public func activities(
        latitude: Double? = nil, longitude: Double? = nil, radius: Double? = nil, atMost: Int = 20,
        after: PageCursor? = nil
    ) async throws -> Page<Activity> {
        let found = try await rows(
            """
            select \(Self.columns), cursor
            from darkroom.activities(\(latitude), \(longitude), \(radius), at_most => \(Int64(atMost)), after => \(after?.text))
            """
        ) { (try Activity($0), PageCursor(try $0.decode("cursor"))) }
        return Page(items: found.map(\.0), next: found.last?.1)
    }

    private static let columns: PostgresQuery =
        "activity, latitude, longitude, radius_m, begins_at, ends_at, aliases, posts_moved, distance_m"
}

extension Activity {
    fileprivate init(_ row: PostgresRow) throws {
        let latitude: Double? = try row.decode("latitude")
        self.init(
            name: try row.decode("activity"),
            area: try latitude.map {
                ActivityArea(
                    latitude: $0, longitude: try row.decode("longitude"), radius: try row.decode("radius_m"))
            },
            beginsAt: try row.decode("begins_at"), endsAt: try row.decode("ends_at"),
            aliases: try row.decode("aliases"), postsMoved: try row.decode("posts_moved"),
            distance: try row.decode("distance_m"))
    }
}
