import CivilCalendar
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

    @Test("refuses times that no clock shows")
    func refused() {
        #expect(CivilTime(year: 0, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 10_000, month: 1, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 0, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 13, day: 1) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 0) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, hour: 24) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, hour: -1) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, minute: 60) == nil)
        #expect(CivilTime(year: 2024, month: 1, day: 1, second: 60) == nil)
    }

    @Test("counts days and weekdays without a gap over a whole cycle of the calendar")
    func everyDay() throws {
        let first = try #require(CivilTime(year: 1799, month: 12, day: 31))
        let secondsPerDay = 86_400
        let last = try #require(CivilTime(year: 2200, month: 1, day: 1))
        var (expected, weekday) = (first.secondsSince1970, 2)
        for year in 1800...2199 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let time = CivilTime(year: year, month: month, day: day) else { continue }
                    expected += secondsPerDay
                    weekday = (weekday + 1) % 7
                    #expect(time.secondsSince1970 == expected)
                    #expect(Gregorian.weekday(year: year, month: month, day: day) == weekday)
                    #expect(CivilTime(secondsSince1970: expected) == time)
                }
            }
        }
        #expect(last.secondsSince1970 == expected + secondsPerDay)
    }

    @Test(
        "agrees with known dates",
        arguments: [
            ("1970-01-01T00:00:00", 0, 4), ("1969-12-31T23:59:59", -1, 3),
            ("2000-02-29T12:00:00", 951_825_600, 2), ("2024-02-29T12:00:05", 1_709_208_005, 4),
            ("1900-01-01T00:00:00", -2_208_988_800, 1), ("0001-01-01T00:00:00", -62_135_596_800, 1),
            ("9999-12-31T23:59:59", 253_402_300_799, 5),
        ])
    func known(text: String, seconds: Int, weekday: Int) {
        let time = CivilTime(secondsSince1970: seconds)
        #expect(time.description == text)
        #expect(time.secondsSince1970 == seconds)
        #expect(Gregorian.weekday(year: time.year, month: time.month, day: time.day) == weekday)
    }

    @Test("continues across the ends of days, months and years")
    func adding() throws {
        let eve = try #require(CivilTime(year: 2023, month: 12, day: 31, hour: 23, minute: 59))
        func later(_ minutes: Int) -> CivilTime {
            CivilTime(secondsSince1970: eve.secondsSince1970 + minutes * 60)
        }
        #expect(later(1).description == "2024-01-01T00:00:00")
        #expect(later(0) == eve)
        #expect(later(60 * 24 * 60).description == "2024-02-29T23:59:00")
        #expect(eve < later(1))
    }
}
