import CivilCalendar

/// The two ways in which object stores write times; both become seconds since 1970.
enum StoreTime {
    /// `2009-10-12T17:50:30.000Z`; the fraction is dropped.
    static func seconds(iso text: String) -> Int? {
        let parts = text.split(whereSeparator: { "-T:.Z".contains($0) }).map(String.init)
        guard text.hasSuffix("Z"), (6...7).contains(parts.count) else { return nil }
        return seconds(parts[0], Int(parts[1]), parts[2], parts[3], parts[4], parts[5])
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    static func seconds(http text: String) -> Int? {
        let parts = text.split(whereSeparator: { ", :".contains($0) }).map(String.init)
        guard parts.count == 8, parts[7] == "GMT" else { return nil }
        return seconds(
            parts[3], months.firstIndex(of: parts[2]).map { $0 + 1 }, parts[1], parts[4], parts[5], parts[6])
    }

    private static func seconds(
        _ year: String, _ month: Int?, _ day: String, _ hour: String, _ minute: String, _ second: String
    ) -> Int? {
        guard let year = Int(year), let month, let day = Int(day), let hour = Int(hour),
            let minute = Int(minute), let second = Int(second)
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59)
        )?.secondsSince1970
    }
}
