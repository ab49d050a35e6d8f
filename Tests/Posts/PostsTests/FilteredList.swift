import Postgres
import TestKit

/// A filter as the arguments of a list, and as a condition on the rows of posts p.
struct RandomFilter: Sendable {
    private(set) var arguments = ""
    private(set) var condition = "p.state = 'published' and (p.expires_at is null or p.expires_at > now())"

    private static let published = [
        "2025-12-20 00:00+00", "2025-12-25 12:00+00", "2025-11-25 00:00+00", "2025-12-31 00:00+00",
    ]
    private static let taken = [
        "2025-12-01 00:00+00", "2025-03-01 00:00+00", "2025-08-01 00:00+00", "2025-02-20 00:00+00",
    ]
    private static let hours: [(Int?, Int?)] = [
        (22, 6), (8, 12), (0, 24), (23, 24), (0, 1), (12, nil), (nil, 5), (6, 5), (24, 3),
    ]

    init(using random: inout SplitMix) {
        let share: Double = [0.08, 0.2, 0.4].randomElement(using: &random) ?? 0
        func choose<Value>(_ values: [Value], _ random: inout SplitMix) -> Value? {
            Double.random(in: 0..<1, using: &random) < share ? values.randomElement(using: &random) : nil
        }
        if let name = choose(["food", "street", "nothing"], &random) {
            add("in_category => ' \(name) '", "p.category = '\(name)'")
        }
        if let name = choose(["picnic", "rare", "nothing"], &random) {
            add("in_activity => '\(name)'", "p.activity = '\(name)'")
        }
        if let level = choose(["country", "division", "city", "place"], &random) {
            let number = Int.random(in: 0...4, using: &random)
            add("in_place => ('\(level)', \(number))", "p.\(level)_geonameid = \(number)")
        }
        if let person = choose(["user-1", "user-99", "nobody"], &random) {
            add("by_uploader => '\(person)'", "p.uploader = '\(person)'")
        }
        for (column, times) in [("published", Self.published), ("taken", Self.taken)] {
            if let time = choose(times, &random) {
                add("\(column)_since => '\(time)'", "p.\(column)_at >= '\(time)'")
            }
            if let time = choose(times, &random) {
                add("\(column)_until => '\(time)'", "p.\(column)_at < '\(time)'")
            }
        }
        if let (first, last) = choose(Self.hours, &random) {
            let from = first ?? 0
            let to = last ?? 24
            let kept = (0..<24).filter { (hour: Int) -> Bool in
                from < to ? hour >= from && hour < to : hour >= from || hour < to
            }
            var bounds: [String] = []
            if let first { bounds.append("from_hour => \(first)") }
            if let last { bounds.append("to_hour => \(last)") }
            let hours = kept.map { String($0) }.joined(separator: ",")
            add(bounds.joined(separator: ", "), "date_part('hour', p.taken_at_local) in (\(hours))")
        }
        let seasons = [
            ("winter", "12,1,2", "6,7,8"), ("spring", "3,4,5", "9,10,11"), ("summer", "6,7,8", "12,1,2"),
            ("autumn", "9,10,11", "3,4,5"),
        ]
        if let (season, north, south) = choose(seasons, &random) {
            add(
                "in_season => '\(season)'",
                """
                case when p.latitude < 0 then date_part('month', p.taken_at_local) in (\(south))
                     else date_part('month', p.taken_at_local) in (\(north)) end
                """)
        }
    }

    private mutating func add(_ argument: String, _ condition: String) {
        arguments += ", " + argument
        self.condition += " and (\(condition))"
    }
}

/// A feed, board or billboard, and what it must return: a query that reads every post.
struct FilteredList: Sendable {
    /// The call's first arguments.
    private let start: String
    private let condition: String
    private let order: String

    func call(_ filter: RandomFilter, size: Int) -> String {
        "select * from darkroom.\(start)at_most => \(size)\(filter.arguments), after => AFTER)"
    }

    func reference(_ filter: RandomFilter) -> String {
        """
        select p.post_id::text from darkroom.posts p left join darkroom.ranks r using (post_id)
        left join darkroom.post_counters k using (post_id)
        where \(filter.condition) and \(condition) order by \(order), p.post_id desc
        """
    }

    static func all(using random: inout SplitMix) -> [FilteredList] {
        let (latitude, longitude): (Double, Double) =
            FeedTests.readers.randomElement(using: &random) ?? (0, 0)
        let radius = [60, 400, 4000, 40_000].randomElement(using: &random) ?? 0
        let board = ["likes", "wilson", "weighted", "hot"].randomElement(using: &random) ?? ""
        let views: Double = [0.0, 1.5].randomElement(using: &random) ?? 0
        let level = [2, 6, 11, 13, 16, 20].randomElement(using: &random) ?? 2
        let here = "\(latitude), \(longitude)"
        let metres = "darkroom.distance_m(\(here), p.latitude, p.longitude)"
        let isNear = "\(metres) <= \(radius)"
        let ranked =
            "r.post_id is null, \(BoardTests.score(board)) desc, case when r.post_id is null then p.published_at end desc"
        let magnitude = """
            sign(coalesce(k.likes - k.dislikes, 0)) * ln(1 + abs(coalesce(k.likes - k.dislikes, 0)))::float8 / ln(2)
            + extract(epoch from p.published_at)::float8 / 86400 - ln(1 + \(metres) / 500) / ln(2)
            + \(views) * ln(1 + coalesce(k.views, 0)) / ln(2) desc
            """
        func tile(_ latitude: String, _ longitude: String) -> String {
            "darkroom.tile_at(darkroom.plane_x(\(longitude)), darkroom.plane_y(\(latitude)), \(level))"
        }
        let there = tile("\(latitude)", "\(longitude)")
        let number =
            "darkroom.cluster_number(\(level), (\(there) >> 26)::integer, (\(there) & 67108863)::integer)"
        return [
            Self(start: "latest_posts(", condition: "true", order: "p.published_at desc"),
            Self(start: "nearest_posts(\(here), ", condition: "true", order: metres),
            Self(start: "nearest_posts(\(here), radius_m => \(radius), ", condition: isNear, order: metres),
            Self(
                start: "posts_within(\(here), radius_m => \(radius), ", condition: isNear,
                order: "p.published_at desc"),
            Self(
                start: "near_and_good_posts(\(here), radius_m => \(radius), view_weight => \(views), ",
                condition: isNear, order: magnitude),
            Self(start: "top_posts('\(board)', ", condition: "true", order: ranked),
            Self(
                start:
                    "top_posts('\(board)', latitude => \(latitude), longitude => \(longitude), radius_m => \(radius), ",
                condition: isNear, order: ranked),
            Self(
                start: "cluster_posts(\(number), ",
                condition: "\(tile("p.latitude", "p.longitude")) = \(tile("\(latitude)", "\(longitude)"))",
                order: "p.published_at desc"),
        ]
    }
}

/// A map's clusters and photos, and what they must be.
struct FilteredMap: Sendable {
    private let box: (south: Double, west: Double, north: Double, east: Double)
    private let zoom: Int
    /// Without a filter, the map counts an expired post until the job expire has found it.
    private static let unfiltered = "p.state = 'published'"

    init(using random: inout SplitMix) {
        // The world, the east, both sides of 180 degrees, a part of the north, and a town.
        let boxes: [(south: Double, west: Double, north: Double, east: Double)] = [
            (-90, -180, 90, 180), (-90, 0.5, 90, 179), (-89, 90, 89.95, -90), (1, -130, 80, 150),
            (47.4, -122.5, 47.7, -122.1),
        ]
        box = boxes.randomElement(using: &random) ?? (0, 0, 0, 0)
        zoom = Int.random(in: box.south == 47.4 ? 4...14 : 0...4, using: &random)
    }

    func call(_ filter: RandomFilter) -> String {
        """
        select concat_ws(' ', cluster_id, posts, round(latitude::numeric, 7), round(longitude::numeric, 7), best_post_id) as text
        from darkroom.map_clusters(
            \(box.south), \(box.west), \(box.north), \(box.east), \(zoom)\(filter.arguments))
        """
    }

    func reference(_ filter: RandomFilter) -> String {
        let level = zoom + 2
        let size = "2.0 ^ (26 - \(level))"
        let first = "floor(darkroom.plane_x(\(box.west)) / \(size))::integer"
        let last = "floor(darkroom.plane_x(\(box.east + (box.east < box.west ? 360 : 0))) / \(size))::integer"
        let isInside = """
            ((tile >> 26) - \(first) + (1 << \(level))) & ((1 << \(level)) - 1) <= least((1 << \(level)) - 1, \(last) - \(first))
            and tile & 67108863 between darkroom.tile_at(0, darkroom.plane_y(\(box.north)), \(level)) & 67108863
                                    and darkroom.tile_at(0, darkroom.plane_y(\(box.south)), \(level)) & 67108863
            """
        return """
            select concat_ws(' ', darkroom.cluster_number(\(level), (tile >> 26)::integer, (tile & 67108863)::integer), posts, round(darkroom.plane_latitude(y)::numeric, 7),
                             round(darkroom.plane_longitude(x)::numeric, 7), best) as text
            from (select tile, count(*) as posts, avg(round(x * 16))::float8 / 16 as x, avg(round(y * 16))::float8 / 16 as y,
                         (array_agg(post_id order by hot desc, post_id desc))[1] as best
                  from (select p.post_id, x, y, darkroom.tile_at(x, y, \(level)) as tile,
                               coalesce(r.hot, extract(epoch from p.published_at)::float8 / 86400) as hot
                        from darkroom.posts p left join darkroom.ranks r using (post_id)
                        cross join lateral (select darkroom.plane_x(p.longitude) as x, darkroom.plane_y(p.latitude) as y) c
                        where \(filter.arguments.isEmpty ? Self.unfiltered : filter.condition)) n
                  where \(isInside)
                  group by tile) n
            order by posts desc, tile
            """
    }
}
