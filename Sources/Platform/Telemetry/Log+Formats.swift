import CivilCalendar
import Glibc
import PlainText

extension Log {
    static func json(
        _ level: Level, _ event: String, _ fields: Fields, at time: timespec
    ) -> String {
        var line = "{\"time\":\"\(utc(time))\",\"level\":\"\(level.rawValue)\",\"event\":"
        line += event.quotedAsJSON
        for (key, value) in fields.pairs {
            line += ","
            line += key.quotedAsJSON
            line += ":"
            switch value {
            case .string(let text): line += text.quotedAsJSON
            case .integer(let number): line += String(number)
            case .number(let number): line += number.isFinite ? String(number) : "null"
            }
        }
        return line + "}"
    }

    static func text(
        _ level: Level, _ event: String, _ fields: Fields, at time: timespec
    ) -> String {
        var line = "\(clock(time)) \(level.rawValue.uppercased()) \(event)"
        for (key, value) in fields.pairs {
            switch value {
            case .string(let text):
                let plain = text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && !$0.canSteerTerminal }
                line += " \(key)=\(plain && !text.isEmpty ? text : text.quotedAsJSON)"
            case .integer(let number): line += " \(key)=\(number)"
            case .number(let number): line += " \(key)=\(number)"
            }
        }
        return line
    }

    /// `2024-02-29T07:30:05.123Z`.
    private static func utc(_ time: timespec) -> String {
        "\(CivilTime(secondsSince1970: time.tv_sec)).\(milliseconds(time))Z"
    }

    /// The time of day in this machine's time zone: `08:30:05.123`.
    private static func clock(_ time: timespec) -> String {
        var (seconds, parts) = (time.tv_sec, tm())
        localtime_r(&seconds, &parts)
        let fields = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.padded(to: 2) }
        return fields.joined(separator: ":") + "." + milliseconds(time)
    }

    private static func milliseconds(_ time: timespec) -> String {
        (time.tv_nsec / 1_000_000).padded(to: 3)
    }
}

extension Double {
    func rounded(toPlaces places: Int) -> Double {
        let scale = pow(10, Double(places))
        return (self * scale).rounded() / scale
    }
}
