import FoundationEssentials
import JobQueue
import JobStore
import Postgres
import TestKit
import Testing

/// The runs of schedules around every change of the clocks, compared with a brute force by minutes that PostgreSQL
/// computes.
@Suite("Schedules when the clocks change", .timeLimit(.minutes(15)))
struct ClockChangeTests {
    /// An expression, and the same as a condition in SQL on the civil time's parts. The gate tries every second one.
    private static let expressions = allExpressions.every(2)

    private static let allExpressions: [(cron: String, condition: String)] = [
        ("* * * * *", "true"),
        ("*/5 * * * *", "m % 5 = 0"),
        ("*/7 * * * *", "m % 7 = 0"),
        ("17 * * * *", "m = 17"),
        ("0 */2 * * *", "m = 0 and h % 2 = 0"),
        ("0 */3 * * *", "m = 0 and h % 3 = 0"),
        ("30 */4 * * *", "m = 30 and h % 4 = 0"),
        ("59 */23 * * *", "m = 59 and h % 23 = 0"),
        ("15,45 *,3 * * sat,sun", "m in (15, 45) and dow in (0, 6)"),
        ("*/10 2 * * *", "m % 10 = 0 and h = 2"),
        ("* 0 * * *", "h = 0"),
        ("*/30 1-3 * * *", "m % 30 = 0 and h between 1 and 3"),
        ("*/15 23 * * 6", "m % 15 = 0 and h = 23 and dow = 6"),
        ("*/59 3 * 3,10 *", "m % 59 = 0 and h = 3 and mon in (3, 10)"),
        ("0 0 * * *", "m = 0 and h = 0"),
        ("30 0 * * *", "m = 30 and h = 0"),
        ("0 1 * * *", "m = 0 and h = 1"),
        ("30 1 * * *", "m = 30 and h = 1"),
        ("45 1 * * *", "m = 45 and h = 1"),
        ("0 2 * * *", "m = 0 and h = 2"),
        ("1 2 * * *", "m = 1 and h = 2"),
        ("15 2 * * *", "m = 15 and h = 2"),
        ("30 2 * * *", "m = 30 and h = 2"),
        ("59 2 * * *", "m = 59 and h = 2"),
        ("0 3 * * *", "m = 0 and h = 3"),
        ("30 3 * * *", "m = 30 and h = 3"),
        ("0,30 2 * * *", "m in (0, 30) and h = 2"),
        ("0 2,3 * * *", "m = 0 and h in (2, 3)"),
        ("0-59 2 * * *", "h = 2"),
        ("0,20,40 0-23 * * *", "m % 20 = 0"),
        ("59 23 * * *", "m = 59 and h = 23"),
        ("30 23 * * sat", "m = 30 and h = 23 and dow = 6"),
        ("30 2 * * sun", "m = 30 and h = 2 and dow = 0"),
        ("30 3 * * mon-fri", "m = 30 and h = 3 and dow between 1 and 5"),
        ("0 12 30 12 *", "m = 0 and h = 12 and day = 30 and mon = 12"),
        ("0 0 1 * *", "m = 0 and h = 0 and day = 1"),
        ("30 2 8-14 3 *", "m = 30 and h = 2 and day between 8 and 14 and mon = 3"),
        ("30 1 1-7 11 *", "m = 30 and h = 1 and day between 1 and 7 and mon = 11"),
        ("0 4 13 * fri", "m = 0 and h = 4 and (day = 13 or dow = 5)"),
        ("5 0 31 12 *", "m = 5 and h = 0 and day = 31 and mon = 12"),
    ]

    /// The gate tries every second one.
    static let years: [(zone: String, year: Int)] = [
        ("Europe/Zurich", 2026), ("UTC", 2026),
        // By half an hour.
        ("Australia/Lord_Howe", 2026), ("Asia/Kathmandu", 2026),
        // At midnight.
        ("America/Santiago", 2026), ("Asia/Tehran", 2022),
        // A whole day was skipped.
        ("Pacific/Apia", 2011), ("America/New_York", 2026),
        // 23 hours were repeated.
        ("Pacific/Kwajalein", 1969), ("Africa/Casablanca", 2026),
    ]

    @Test("are those that a search minute by minute finds", arguments: years.every(12))
    func minuteByMinute(zone: String, year: Int) async throws {
        try await QueueDatabase.with { database in
            try await database.pool.withConnection { connection in
                let brute = try await BruteForce(zone, year, Self.expressions.map(\.condition), connection)
                var spans: [ClockSpan] = []
                var from = brute.start
                while from <= brute.end {
                    spans.append(try await JobStore.clockSpan(of: zone, from: from, connection))
                    from = spans[spans.count - 1].end
                }
                #expect(spans.dropLast().map(\.end) == brute.changes)
                if zone == "Europe/Zurich" { #expect(brute.changes.count == 2) }

                for (index, (cron, _)) in Self.expressions.enumerated() {
                    let expression = try CronExpression(cron)
                    let runs = expression.followsElapsedTime ? brute.shown[index] : brute.reached[index]
                    #expect(runs.count > 0, "\(cron)")
                    for now in brute.times(around: runs) {
                        guard now >= brute.start + 172_800, let next = runs.firstLater(than: now) else {
                            continue
                        }
                        let found = await expression.firstRun(
                            after: now, span: { at in spans.first(where: { at < $0.end })! })
                        guard found == next else {
                            Issue.record("\(cron) in \(zone) after \(now): \(found) instead of \(next)")
                            return
                        }
                    }
                    // The same with the zone's clocks as the database tells them.
                    for now in brute.changes.map({ $0 - 7200 }) {
                        guard let next = runs.firstLater(than: now) else { continue }
                        let found = try await JobStore.nextRun(
                            of: expression, in: zone, after: now, connection)
                        #expect(found == Date(timeIntervalSince1970: Double(next)), "\(cron) after \(now)")
                    }
                }
            }
        }
    }

    @Test("exist even if they are decades away")
    func rarest() async throws {
        try await QueueDatabase.with { database in
            try await database.pool.withConnection { connection in
                // From March 2032 to Saturday, 29 February 2048.
                let found = try await JobStore.nextRun(
                    of: CronExpression("30 2 29 2 */6"), in: "Europe/Zurich", after: 1_961_712_000, connection
                )
                #expect(found == Date(timeIntervalSince1970: 2_466_552_600))
            }
        }
    }
}

/// A year of a zone, from three days before it to three days after it, in seconds since 1970 UTC.
private struct BruteForce {
    let start: Int
    let end: Int
    /// The first minutes after a change of the clocks.
    let changes: [Int]
    /// For each condition the minutes whose civil time meets it.
    let shown: [[Int]]
    /// For each condition the minutes at which the clocks first reach or pass a civil time that meets it.
    let reached: [[Int]]

    init(_ zone: String, _ year: Int, _ conditions: [String], _ connection: PostgresConnection) async throws {
        try await connection.query(
            """
            create temporary table shown as
            select extract(epoch from i)::bigint as at, i at time zone \(zone) as civil
            from generate_series(make_timestamptz(\(year), 1, 1, 0, 0, 0, 'UTC') - interval '72 hours',
                                 make_timestamptz(\(year + 1), 1, 1, 0, 0, 0, 'UTC') + interval '72 hours',
                                 interval '1 minute') i
            """)
        try await connection.query(
            """
            create temporary table reached as
            select s.at, r as civil
            from (select at, civil, max(civil) over (order by at rows between unbounded preceding and 1 preceding) as latest
                  from shown) s
            cross join lateral generate_series(s.latest + interval '1 minute', s.civil, interval '1 minute') r
            """)
        let rows = try await connection.query(
            """
            select min(at) as low, max(at) as high,
                   array_agg(at order by at) filter (where civil <> before + interval '1 minute') as changes
            from (select at, civil, lag(civil) over (order by at) as before from shown) s
            """)
        start = try rows[0].decode("low", as: Int.self)
        end = try rows[0].decode("high", as: Int.self)
        changes = try rows[0].decode("changes", as: [Int]?.self) ?? []
        shown = try await Self.matches(conditions, "shown", connection)
        reached = try await Self.matches(conditions, "reached", connection)
    }

    /// Up to 2,000 of the runs, in the gate 200, the seconds before them, and what is near the changes of the clocks.
    func times(around runs: [Int]) -> [Int] {
        let some = stride(from: 0, to: runs.count, by: max(1, runs.count / Extent.of(200, check: 2000))).map {
            runs[$0]
        }
        let near = changes.flatMap {
            Array($0 - 300...$0 + 300) + stride(from: $0 - 18_000, to: $0 + 18_000, by: 60)
        }
        return some + some.map { $0 - 1 } + near
    }

    private static func matches(
        _ conditions: [String], _ table: String, _ connection: PostgresConnection
    ) async throws -> [[Int]] {
        let columns = conditions.enumerated().map { "array_agg(at) filter (where \($1)) as c\($0)" }
        let rows = try await connection.query(
            """
            select \(unescaped: columns.joined(separator: ", "))
            from (select at, extract(minute from civil)::int as m, extract(hour from civil)::int as h,
                         extract(day from civil)::int as day, extract(month from civil)::int as mon,
                         extract(dow from civil)::int as dow
                  from \(unescaped: table) order by at, civil) as t
            """)
        return try conditions.indices.map { try rows[0].decode("c\($0)", as: [Int]?.self) ?? [] }
    }
}

extension [Int] {
    /// The first element that is greater than `bound`, in a sorted array.
    fileprivate func firstLater(than bound: Int) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > bound { high = middle } else { low = middle + 1 }
        }
        return low < count ? self[low] : nil
    }
}
