/// One of the five fields of a cron expression, in their order.
package enum CronField: String, CaseIterable, Sendable {
    case minute
    case hour
    case dayOfMonth = "day of month"
    case month
    case dayOfWeek = "day of week"

    /// The allowed numbers. In the day of week, both 0 and 7 are Sunday.
    package var allowed: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...7
        }
    }

    /// What `*` stands for.
    var whole: ClosedRange<Int> { self == .dayOfWeek ? 0...6 : allowed }

    /// The names of the numbers from `allowed.lowerBound` on; empty for fields without names.
    var names: [String] {
        switch self {
        case .minute, .hour, .dayOfMonth: []
        case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        }
    }
}

/// Why a text is not a cron expression.
package struct CronError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// There are not exactly five fields.
        case fieldCount
        /// `@` and an unknown word.
        case shorthand
        /// Not a number, name, range or list of these.
        case syntax
        /// A number that the field does not allow.
        case value
        /// A range that ends before it begins.
        case range
        /// A step that is zero, too wide, or follows a single number.
        case step
        /// A day that no given month has, such as 30 February.
        case impossibleDay
    }

    package let code: Code
    /// Nil if the expression as a whole is wrong.
    package let field: CronField?
    /// What is wrong, and what is allowed.
    package let description: String

    init(_ code: Code, field: CronField? = nil, _ description: String) {
        self.code = code
        self.field = field
        self.description = description
    }
}
