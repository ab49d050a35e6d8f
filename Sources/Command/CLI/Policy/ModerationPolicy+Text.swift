import Arguments
import FoundationEssentials
import Posts

extension PolicyParameter {
    func text(in policy: ModerationPolicy) -> String {
        switch value {
        case .number(let path): plain(policy[keyPath: path])
        case .whole(let path): String(policy[keyPath: path])
        case .span(let path): policy[keyPath: path].short
        case .reasons(let path): policy[keyPath: path].map(\.rawValue).joined(separator: ",")
        case .text(let path): policy[keyPath: path]
        }
    }

    fileprivate func json(in policy: ModerationPolicy) -> JSON {
        switch value {
        case .number(let path): .number(policy[keyPath: path])
        case .whole(let path): .integer(Int64(policy[keyPath: path]))
        case .span(let path): .number(policy[keyPath: path].seconds)
        case .reasons(let path): .array(policy[keyPath: path].map { .string($0.rawValue) })
        case .text(let path): .string(policy[keyPath: path])
        }
    }

    private func plain(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
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
