import CivilCalendar
import JobQueue
import Testing

/// `YYYY-MM-DD HH:MM`.
func civil(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> CivilTime {
    let numbers = text.split { "- :".contains($0) }.compactMap { Int($0) }
    try #require(numbers.count == 5, sourceLocation: sourceLocation)
    return try #require(
        CivilTime(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4]),
        sourceLocation: sourceLocation)
}

@Suite("Cron expressions")
struct CronExpressionTests {
    @Test(
        "return the next matching minute",
        arguments: [
            ("* * * * *", "2024-01-01 00:00", "2024-01-01 00:01"),
            ("* * * * *", "2024-12-31 23:59", "2025-01-01 00:00"),
            ("*/15 * * * *", "2024-01-01 00:45", "2024-01-01 01:00"),
            ("7,37 * * * *", "2024-01-01 00:07", "2024-01-01 00:37"),
            ("30 9-17/4 * * *", "2024-01-01 09:30", "2024-01-01 13:30"),
            ("30 9-17/4 * * *", "2024-01-01 17:30", "2024-01-02 09:30"),
            ("0 3 * * *", "2024-02-28 03:00", "2024-02-29 03:00"),
            ("0 3 * * *", "2023-02-28 03:00", "2023-03-01 03:00"),
            // Month ends.
            ("0 0 31 * *", "2024-01-31 00:00", "2024-03-31 00:00"),
            ("0 0 31 * *", "2024-03-31 00:00", "2024-05-31 00:00"),
            ("0 0 30,31 * *", "2024-01-31 00:00", "2024-03-30 00:00"),
            ("59 23 28-31 * *", "2024-02-29 23:59", "2024-03-28 23:59"),
            // Leap years.
            ("0 0 29 2 *", "2024-02-29 00:00", "2028-02-29 00:00"),
            ("0 0 29 2 *", "2096-02-29 00:00", "2104-02-29 00:00"),
            ("0 0 29 2 *", "1999-06-01 00:00", "2000-02-29 00:00"),
            // Names, and both numbers of Sunday.
            ("0 12 * JUN mon", "2024-06-24 12:00", "2025-06-02 12:00"),
            ("0 0 * * 0", "2024-01-01 00:00", "2024-01-07 00:00"),
            ("0 0 * * 7", "2024-01-01 00:00", "2024-01-07 00:00"),
            ("0 0 * * SUN", "2024-01-01 00:00", "2024-01-07 00:00"),
            ("0 0 * * 5-7", "2024-01-06 00:00", "2024-01-07 00:00"),
            ("0 0 * * FRI-SUN", "2024-01-07 00:00", "2024-01-12 00:00"),
            ("0 0 * * Mon-Fri", "2024-01-05 00:00", "2024-01-08 00:00"),
            ("0 0 1 JAN,jul *", "2024-01-01 00:00", "2024-07-01 00:00"),
            // Either day field if both are restricted; the month must still match.
            ("0 0 1,15 * 1", "2024-01-01 00:00", "2024-01-08 00:00"),
            ("0 0 1,15 * 1", "2024-01-29 00:00", "2024-02-01 00:00"),
            ("0 0 13 6 5", "2024-06-07 00:00", "2024-06-13 00:00"),
            ("0 0 13 6 5", "2024-06-28 00:00", "2025-06-06 00:00"),
            ("0 0 30 2 MON", "2024-02-26 00:00", "2025-02-03 00:00"),
            // Both day fields if one starts with *.
            ("0 0 */2 * MON", "2024-01-01 00:00", "2024-01-15 00:00"),
            ("0 0 13 * */5", "2024-01-01 00:00", "2024-09-13 00:00"),
            ("@hourly", "2024-01-01 10:00", "2024-01-01 11:00"),
            ("@daily", "2024-01-01 00:00", "2024-01-02 00:00"),
            ("@weekly", "2024-01-01 00:00", "2024-01-07 00:00"),
            ("@monthly", "2024-01-01 00:00", "2024-02-01 00:00"),
            ("@Yearly", "2024-01-01 00:00", "2025-01-01 00:00"),
            ("  5\t4  * * * ", "2024-01-01 00:00", "2024-01-01 04:05"),
        ])
    func next(text: String, after: String, expected: String) throws {
        let expression = try CronExpression(text)
        let next = try expression.next(after: civil(after))
        #expect(try next == civil(expected))
        #expect(expression.matches(next))
        #expect(expression.description == text)
    }

    @Test("find the rarest days")
    func rarest() throws {
        // 29 February is a Saturday or a Sunday in 2032, 2048, 2060, 2076, 2088 and 2116.
        let expression = try CronExpression("0 0 29 2 */6")
        #expect(try expression.next(after: civil("2032-02-29 00:00")) == civil("2048-02-29 00:00"))
        #expect(try expression.next(after: civil("2088-02-29 00:00")) == civil("2116-02-29 00:00"))
    }

    @Test(
        "are refused with the name of the invalid field",
        arguments: [
            ("", .fieldCount, nil), ("* * * *", .fieldCount, nil), ("* * * * * *", .fieldCount, nil),
            ("@reboot", .shorthand, nil), ("@daily *", .shorthand, nil),
            ("60 * * * *", .value, .minute), ("99999999999999999999 * * * *", .value, .minute),
            ("* 24 * * *", .value, .hour), ("* * 0 * *", .value, .dayOfMonth),
            ("* * 32 * *", .value, .dayOfMonth), ("* * * 13 *", .value, .month),
            ("* * * * 8", .value, .dayOfWeek), ("* * * MAI *", .syntax, .month),
            ("* * * MON *", .syntax, .month), ("* * * * JAN", .syntax, .dayOfWeek),
            ("* JAN * * *", .syntax, .hour), ("-5 * * * *", .syntax, .minute),
            ("+5 * * * *", .syntax, .minute),
            ("٣ * * * *", .syntax, .minute), ("1, * * * *", .syntax, .minute),
            ("1,,2 * * * *", .syntax, .minute),
            ("1- * * * *", .syntax, .minute), ("1-2-3 * * * *", .syntax, .minute),
            ("? * * * *", .syntax, .minute),
            ("** * * * *", .syntax, .minute), ("*-5 * * * *", .syntax, .minute),
            ("5-1 * * * *", .range, .minute),
            ("* 22-2 * * *", .range, .hour), ("* * * DEC-JAN *", .range, .month),
            ("* * * * FRI-MON", .range, .dayOfWeek), ("*/0 * * * *", .step, .minute),
            ("*/60 * * * *", .step, .minute), ("*/ * * * *", .step, .minute),
            ("*/2/2 * * * *", .step, .minute),
            ("*/-1 * * * *", .step, .minute), ("* 5/2 * * *", .step, .hour),
            ("0 0 30 2 *", .impossibleDay, .dayOfMonth),
            ("0 0 31 APR,jun,9,11 *", .impossibleDay, .dayOfMonth),
            ("0 0 30-31 2 */2", .impossibleDay, .dayOfMonth),
        ] as [(String, CronError.Code, CronField?)])
    func refused(text: String, code: CronError.Code, field: CronField?) throws {
        let error = try #require(throws: CronError.self) { try CronExpression(text) }
        #expect(error.code == code)
        #expect(error.field == field)
        if let field { #expect(error.description.hasPrefix("the \(field.rawValue) ")) }
    }

    @Test("say in the error message what is allowed")
    func errorText() throws {
        let error = try #require(throws: CronError.self) { try CronExpression("0 0 * 13 *") }
        #expect(
            error.description
                == "the month \"13\" has 13; allowed are 1 to 12, JAN to DEC, lists, ranges and *")
    }

    @Test(
        "follow elapsed time if the minute or the hour is open",
        arguments: [
            ("0 * * * *", true), ("*/5 * * * *", true), ("0 */6 * * *", true), ("@hourly", true),
            ("* 3 * * *", true), ("*/20,7 3 * * *", true), ("0 3 * * *", false), ("7,*/20 3 * * *", false),
            ("0 0-23 * * *", false), ("@daily", false),
        ])
    func elapsedTime(text: String, expected: Bool) throws {
        #expect(try CronExpression(text).followsElapsedTime == expected)
    }
}
