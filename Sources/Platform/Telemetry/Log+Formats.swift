import Glibc

extension Log {
    static func json(
        _ level: Level, _ event: String, _ fields: Fields, at time: timespec
    ) -> String {
        var line = "{\"time\":\"\(timestamp(time, local: false))\",\"level\":\"\(level.rawValue)\",\"event\":"
        line += quoted(event)
        for (key, value) in fields.pairs {
            line += ","
            line += quoted(key)
            line += ":"
            switch value {
            case .string(let text): line += quoted(text)
            case .integer(let number): line += String(number)
            case .number(let number): line += number.isFinite ? String(number) : "null"
            }
        }
        return line + "}"
    }

    static func text(
        _ level: Level, _ event: String, _ fields: Fields, at time: timespec
    ) -> String {
        var line = "\(timestamp(time, local: true)) \(level.rawValue.uppercased()) \(event)"
        for (key, value) in fields.pairs {
            switch value {
            case .string(let text):
                let plain = text.unicodeScalars.allSatisfy { $0.value > 32 && $0 != "\"" && $0.value != 127 }
                line += " \(key)=\(plain && !text.isEmpty ? text : quoted(text))"
            case .integer(let number): line += " \(key)=\(number)"
            case .number(let number): line += " \(key)=\(number)"
            }
        }
        return line
    }

    /// A JSON string (RFC 8259): quotes, backslashes and control characters escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 32 || scalar.value == 127 {
                    let hex = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    private static func timestamp(_ time: timespec, local: Bool) -> String {
        var parts = tm()
        var seconds = time.tv_sec
        if local { localtime_r(&seconds, &parts) } else { gmtime_r(&seconds, &parts) }
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let clock =
            "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
            + ".\(padded(time.tv_nsec / 1_000_000, 3))"
        if local { return clock }
        let date =
            "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
        return "\(date)T\(clock)Z"
    }
}

extension Double {
    func rounded(toPlaces places: Int) -> Double {
        let scale = pow(10, Double(places))
        return (self * scale).rounded() / scale
    }
}
