import Arguments
import CivilCalendar
import FoundationEssentials
import Posts

extension PolicyParameter {
    fileprivate func json(in policy: ModerationPolicy) -> JSON {
        switch value {
        case .number(let path): .number(policy[keyPath: path])
        case .whole(let path): .integer(Int64(policy[keyPath: path]))
        case .span(let path): .number(policy[keyPath: path].seconds)
        case .reasons(let path): .array(policy[keyPath: path].map { .string($0.rawValue) })
        case .text(let path): .string(policy[keyPath: path])
        }
    }
}

extension ModerationPolicy {
    /// Durations are in seconds.
    var fields: [(String, JSON)] {
        [
            ("version", .integer(Int64(version))), ("created_at", .string(createdAt.stamp)),
            ("note", .string(note)),
        ] + PolicyParameter.all.map { ($0.column, $0.json(in: self)) }
    }

    /// `hide-threshold 5 → 8`
    func changes(since before: ModerationPolicy) -> [String] {
        PolicyParameter.all.compactMap { parameter in
            let (old, new) = (parameter.text(in: before), parameter.text(in: self))
            return old == new ? nil : "\(parameter.name) \(old) → \(new)"
        }
    }
}
