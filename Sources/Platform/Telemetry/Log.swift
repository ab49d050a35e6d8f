import Glibc

/// Writes one line per event to one descriptor.
///
/// On a terminal a line is for people; otherwise it is a JSON object with `time` (UTC, RFC 3339),
/// `level`, `event` and the event's own fields. Logging never waits for the reader of the descriptor.
package final class Log: Sendable {
    package enum Level: String, Sendable, CaseIterable, Comparable {
        case debug, info, warning, error

        package static func < (a: Level, b: Level) -> Bool {
            allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
        }
    }

    package enum Format: String, Sendable, CaseIterable { case text, json }

    package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case string(String)
        case integer(Int64)
        case number(Double)

        package init(stringLiteral value: String) { self = .string(value) }
        package init(integerLiteral value: Int64) { self = .integer(value) }
        package init(_ value: String) { self = .string(value) }
        package init(_ value: some CustomStringConvertible) { self = .string(value.description) }
        package init(_ value: Int) { self = .integer(Int64(value)) }
        package init(_ value: Int64) { self = .integer(value) }
        /// Milliseconds.
        package init(_ value: Duration) {
            let (seconds, attoseconds) = value.components
            self = .number(
                (Double(seconds) * 1000 + Double(attoseconds) / 1e15).rounded(toPlaces: 1))
        }
    }

    /// The fields of a line besides its event, in order.
    package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
        var pairs: [(name: String, value: Value)]

        package init(dictionaryLiteral elements: (String, Value)...) {
            pairs = elements.map { ($0, $1) }
        }

        package static func + (a: Fields, b: Fields) -> Fields {
            var sum = a
            sum.pairs += b.pairs
            return sum
        }
    }

    private let writer: LineWriter?
    private let format: Format
    private let minimum: Level

    /// - Parameter format: nil chooses text on a terminal and JSON elsewhere.
    package init(descriptor: CInt = 2, minimum: Level = .info, format: Format? = nil) {
        self.minimum = minimum
        let format = format ?? (isatty(descriptor) == 1 ? .text : .json)
        self.format = format
        writer =
            descriptor < 0
            ? nil
            : LineWriter(descriptor: descriptor) {
                Self.line(.warning, "log.dropped", ["lines": .init($0)], format)
            }
    }

    package var writesJSON: Bool { format == .json }

    /// Drops everything: for tests and for commands whose output is their result.
    package static let silent = Log(descriptor: -1, minimum: .error, format: .json)

    package func debug(_ event: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.debug, event, fields)
    }
    package func info(_ event: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.info, event, fields)
    }
    package func warning(_ event: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.warning, event, fields)
    }
    package func error(_ event: String, _ fields: @autoclosure () -> Fields = [:]) {
        write(.error, event, fields)
    }

    /// Whether lines of this level are written.
    package func writes(_ level: Level) -> Bool { writer != nil && level >= minimum }

    package func write(_ level: Level, _ event: String, _ fields: () -> Fields) {
        guard writes(level) else { return }
        writer?.write(Self.line(level, event, fields(), format))
    }

    /// Blocks until every line so far is written, or `limit` is over.
    package func flush(within limit: Duration = .seconds(5)) { writer?.flush(within: limit) }

    private static func line(_ level: Level, _ event: String, _ fields: Fields, _ format: Format) -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return (format == .json ? json(level, event, fields, at: now) : text(level, event, fields, at: now))
            + "\n"
    }
}
