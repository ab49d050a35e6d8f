import CivilCalendar
import JobQueue
import TestKit
import Testing

/// A field as text, and the numbers that it means.
private struct RandomField {
    var text = ""
    var isNamed: [Bool]

    init(_ range: ClosedRange<Int>, using random: inout SplitMix) {
        isNamed = Array(repeating: false, count: range.upperBound + 1)
        var elements: [String] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let first = Int.random(in: range, using: &random)
            let last = Int.random(in: first...range.upperBound, using: &random)
            let step = Int.random(in: 1...max(1, range.upperBound / 2), using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: add(range.lowerBound, range.upperBound, 1, "*", to: &elements)
            case 1: add(range.lowerBound, range.upperBound, step, "*/\(step)", to: &elements)
            case 2: add(first, last, 1, "\(first)-\(last)", to: &elements)
            case 3: add(first, last, step, "\(first)-\(last)/\(step)", to: &elements)
            default: add(first, first, 1, "\(first)", to: &elements)
            }
        }
        text = elements.joined(separator: ",")
    }

    private mutating func add(
        _ first: Int, _ last: Int, _ step: Int, _ text: String, to elements: inout [String]
    ) {
        for number in stride(from: first, through: last, by: step) { isNamed[number] = true }
        elements.append(text)
    }
}

private struct RandomExpression {
    let minute, hour, day, month, weekday: RandomField

    init(using random: inout SplitMix) {
        minute = RandomField(0...59, using: &random)
        hour = RandomField(0...23, using: &random)
        day = RandomField(1...31, using: &random)
        month = RandomField(1...12, using: &random)
        weekday = RandomField(0...6, using: &random)
    }

    var text: String { [minute, hour, day, month, weekday].map(\.text).joined(separator: " ") }

    func matchesDay(_ time: NaiveClock) -> Bool {
        let isDay = day.isNamed[time.day]
        let isWeekday = weekday.isNamed[time.weekday]
        let both = day.text.hasPrefix("*") || weekday.text.hasPrefix("*")
        return month.isNamed[time.month] && (both ? isDay && isWeekday : isDay || isWeekday)
    }

    func matches(_ time: NaiveClock) -> Bool {
        minute.isNamed[time.minute] && hour.isNamed[time.hour] && matchesDay(time)
    }
}

/// Counts like a wall clock and a calendar, one minute or day at a time.
private struct NaiveClock {
    var year, month, day, hour, minute, weekday: Int

    init(_ time: CivilTime) {
        (year, month, day, hour, minute) = (time.year, time.month, time.day, time.hour, time.minute)
        // T. Sakamoto's method, comp.lang.c, 1993.
        let shifted = month < 3 ? year - 1 : year
        let offset = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1]
        weekday = (shifted + shifted / 4 - shifted / 100 + shifted / 400 + offset + day) % 7
    }

    mutating func addMinute() {
        minute += 1
        guard minute == 60 else { return }
        (minute, hour) = (0, hour + 1)
        if hour == 24 { addDay() }
    }

    /// The first minute of the next day.
    mutating func addDay() {
        (hour, minute, weekday, day) = (0, 0, (weekday + 1) % 7, day + 1)
        let february = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) ? 29 : 28
        guard day > [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] else { return }
        (day, month) = (1, month + 1)
        if month == 13 { (month, year) = (1, year + 1) }
    }

    var civil: CivilTime? { CivilTime(year: year, month: month, day: day, hour: hour, minute: minute) }
}

@Suite("Cron expressions compared with a counting clock")
struct CronPropertyTests {
    private func randomTime(using random: inout SplitMix) -> CivilTime {
        // 1890 to 2109: includes centuries without a leap day, and one with it.
        CivilTime(secondsSince1970: Int.random(in: -42_000_000...73_000_000, using: &random) * 60)
    }

    @Test("find the same minute as stepping minute by minute", arguments: 0..<8 as Range<UInt64>)
    func minuteByMinute(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for _ in 0..<40 {
            let expected = RandomExpression(using: &random)
            guard let expression = try? CronExpression(expected.text) else { continue }
            let start = randomTime(using: &random)
            let found = expression.next(after: start)
            var clock = NaiveClock(start)
            clock.addMinute()
            let fortyDays = 40 * 1440
            var steps = 0
            while steps < fortyDays, !expected.matches(clock) {
                clock.addMinute()
                steps += 1
            }
            if steps < fortyDays {
                #expect(found == clock.civil, "\(expected.text) after \(start)")
            } else {
                #expect(try found >= #require(clock.civil), "\(expected.text) after \(start)")
            }
        }
    }

    @Test(
        "find no day too early or too late, over forty years",
        arguments: 100..<108 as Range<UInt64>)
    func dayByDay(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for _ in 0..<60 {
            let expected = RandomExpression(using: &random)
            let start = randomTime(using: &random)
            let expression: CronExpression
            do {
                expression = try CronExpression(expected.text)
            } catch {
                #expect(error.code == .impossibleDay)
                continue
            }
            let found = expression.next(after: start)
            // From the end of the first day, because the other test covers its minutes.
            guard (found.year, found.month, found.day) != (start.year, start.month, start.day) else {
                continue
            }
            var clock = NaiveClock(start)
            clock.addDay()
            while clock.year <= start.year + 40, !expected.matchesDay(clock) { clock.addDay() }
            #expect((found.year, found.month, found.day) == (clock.year, clock.month, clock.day))
            #expect(found.hour == expected.hour.isNamed.firstIndex(of: true))
            #expect(found.minute == expected.minute.isNamed.firstIndex(of: true))
        }
    }
}
