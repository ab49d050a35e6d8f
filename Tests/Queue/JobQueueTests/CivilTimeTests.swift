import JobQueue
import Testing

@Suite("Civil time")
struct CivilTimeTests {
    @Test(
        "knows the length of every month",
        arguments: [(2023, 28), (2024, 29), (1900, 28), (2000, 29), (2100, 28)])
    func lengths(year: Int, february: Int) {
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for (index, length) in lengths.enumerated() {
            #expect(CivilTime(year: year, month: index + 1, day: length) != nil)
            #expect(CivilTime(year: year, month: index + 1, day: length + 1) == nil)
        }
    }

    @Test("refuses what no clock shows")
    func refused() {
        #expect(CivilTime(year: 0, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 10_000, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 0, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 13, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 0) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, hour: 24) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, hour: -1) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, minute: 60) == nil)
    }

    @Test("counts days and weekdays without a gap over a whole cycle of the calendar")
    func everyDay() throws {
        let first = try #require(CivilTime(year: 1799, month: 12, day: 31))
        let minutesPerDay = 1440
        let last = try #require(CivilTime(year: 2200, month: 1, day: 1))
        var (expected, weekday) = (first.minutesSince1970, first.weekday)
        for year in 1800...2199 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let time = CivilTime(year: year, month: month, day: day) else { continue }
                    expected += minutesPerDay
                    weekday = (weekday + 1) % 7
                    #expect(time.minutesSince1970 == expected)
                    #expect(time.weekday == weekday)
                    #expect(CivilTime(minutesSince1970: expected) == time)
                }
            }
        }
        #expect(last.minutesSince1970 == expected + minutesPerDay)
    }

    @Test(
        "agrees with known dates",
        arguments: [
            ("1970-01-01 00:00", 0, 4), ("1969-12-31 23:59", -1, 3), ("2000-02-29 12:00", 15_863_760, 2),
        ])
    func known(text: String, minutes: Int, weekday: Int) {
        let time = CivilTime(minutesSince1970: minutes)
        #expect(time.description == text)
        #expect(time.weekday == weekday)
    }

    @Test("adds minutes over the ends of days, months and years")
    func adding() throws {
        let eve = try #require(CivilTime(year: 2023, month: 12, day: 31, hour: 23, minute: 59))
        #expect(eve.adding(minutes: 1).description == "2024-01-01 00:00")
        #expect(eve.adding(minutes: 1).adding(minutes: -1) == eve)
        #expect(eve.adding(minutes: 60 * 24 * 60).description == "2024-02-29 23:59")
        #expect(eve < eve.adding(minutes: 1))
    }
}
