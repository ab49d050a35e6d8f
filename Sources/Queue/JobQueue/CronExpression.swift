import CivilCalendar

/// When a periodic job is due, in the notation of crontab: `minute hour day-of-month month day-of-week`.
///
/// A field is `*`, a number, a range `1-5`, one of these two with a step (`*/15`, `9-17/2`), or a list of such
/// elements. Months and days of the week have names of three letters, in upper or lower case; 7 is Sunday, like 0.
/// `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly` stand for the first minute of each.
///
/// If both day of month and day of week are restricted, a day must match one of them; if one of them starts with `*`,
/// it must match both. The month must always match.
/// Source: POSIX.1-2017, crontab, "Extended Description"; steps and names as in crontab(5) of Debian's cron. Read
/// literally, POSIX would also run on the given days of the week in other months, which no cron does.
///
/// Times are local civil times, without a time zone; ``firstRun(after:span:)`` maps them to instants.
package struct CronExpression: Hashable, Sendable, CustomStringConvertible {
    /// The expression as it was written.
    package let description: String

    // Bit n stands for the number n.
    let minutes: UInt64
    let hours: UInt64
    let daysOfMonth: UInt64
    let months: UInt64
    let daysOfWeek: UInt64
    /// Whether a day needs to match only one of the two day fields.
    let eitherDayMatches: Bool

    /// Whether the minute or the hour begins with `*`: "every so often", not "at that time".
    ///
    /// Such a job is due at every instant whose civil time matches: in both passes of an hour that the clocks repeat, and
    /// never in one that they skip. Another job is due once for each matching civil time: in the first pass of a repeated
    /// hour, and right after a skipped one. Source: cron(8) of Debian's cron, "Notes", on daylight saving time.
    package let followsElapsedTime: Bool

    /// - Throws: `CronError`, which names the field and what it allows.
    package init(_ text: String) throws(CronError) {
        let fields = try Self.fields(of: text)
        func set(_ index: Int) throws(CronError) -> UInt64 {
            try CronFieldParser(CronField.allCases[index], fields[index]).set()
        }
        description = text
        minutes = try set(0)
        hours = try set(1)
        daysOfMonth = try set(2)
        months = try set(3)
        daysOfWeek = try set(4)
        followsElapsedTime = fields[0].hasPrefix("*") || fields[1].hasPrefix("*")
        eitherDayMatches = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        guard eitherDayMatches || hasPossibleDay else {
            throw CronError(
                .impossibleDay, field: .dayOfMonth,
                "the day of month \"\(fields[2])\" does not exist in the month \"\(fields[3])\"")
        }
    }

    /// Whether any of the months has any of the days of month, even if only in a leap year.
    private var hasPossibleDay: Bool {
        (1...12).contains { month in
            let leapYear = 2000
            return months & 1 << month != 0
                && daysOfMonth.trailingZeroBitCount <= Gregorian.days(inMonth: month, of: leapYear)
        }
    }

    private static let shorthands: [(name: String, fields: String)] = [
        ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"),
    ]

    private static func fields(of text: String) throws(CronError) -> [Substring] {
        var fields = text.split { $0 == " " || $0 == "\t" }
        if let first = fields.first, first.hasPrefix("@") {
            guard fields.count == 1, let known = shorthands.first(where: { $0.name == first.lowercased() })
            else {
                let names = shorthands.map(\.name).joined(separator: ", ")
                throw CronError(.shorthand, "\"\(text)\" is not one of \(names)")
            }
            fields = known.fields.split(separator: " ")
        }
        guard fields.count == CronField.allCases.count else {
            let names = CronField.allCases.map(\.rawValue).joined(separator: ", ")
            throw CronError(
                .fieldCount, "\"\(text)\" has \(fields.count) fields instead of these five: \(names)")
        }
        return fields
    }
}
