import CivilCalendar

extension PolicyParameter {
    /// The value for people. A time is rounded.
    package func text(in policy: ModerationPolicy) -> String {
        switch value {
        case .number(let path): Self.plain(policy[keyPath: path])
        case .whole(let path): String(policy[keyPath: path])
        case .span(let path): policy[keyPath: path].short
        case .reasons(let path): policy[keyPath: path].map(\.rawValue).joined(separator: ",")
        case .text(let path): policy[keyPath: path]
        }
    }

    private static func plain(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
