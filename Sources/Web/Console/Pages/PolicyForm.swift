import FoundationEssentials
import Postgres
import Posts

/// The values of a policy in a form.
enum PolicyForm {
    /// Changes the values whose texts differ from those in force.
    ///
    /// - Throws: ``ConsoleError`` for a text that is no value.
    static func apply(_ form: Form, to policy: inout ModerationPolicy, _ inForce: ModerationPolicy) throws {
        for parameter in PolicyParameter.all {
            guard let text = form[parameter.name], text != parameter.text(in: inForce) else { continue }
            func wrong(_ what: String) -> ConsoleError {
                .badRequest("“\(text)” is no \(what) for \(parameter.name).")
            }
            switch parameter.value {
            case .number(let path):
                guard let number = Double(text), (0...1e9).contains(number) else { throw wrong("number") }
                policy[keyPath: path] = number
            case .whole(let path):
                guard let number = Int(text), (0...1_000_000_000).contains(number) else {
                    throw wrong("whole number")
                }
                policy[keyPath: path] = number
            case .span(let path):
                guard let seconds = Form.seconds(text) else { throw wrong("time, such as 2h or 7d,") }
                policy[keyPath: path] = .seconds(seconds)
            case .reasons(let path):
                policy[keyPath: path] = try text.split(separator: ",").map { name in
                    guard let reason = ReportGround(rawValue: name.trimmingPrefix(" ").description) else {
                        throw wrong("list of reasons")
                    }
                    return reason
                }
            case .text(let path): policy[keyPath: path] = text
            }
        }
    }

    /// `hide-threshold 5 → 8`
    static func changes(from old: ModerationPolicy, to new: ModerationPolicy) -> [String] {
        PolicyParameter.all.compactMap { parameter in
            let (before, after) = (parameter.text(in: old), parameter.text(in: new))
            return before == after ? nil : "\(parameter.name) \(before) → \(after)"
        }
    }

    /// The name of a broken constraint says what is wrong.
    static func explained<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError where error.sqlState == .checkViolation {
            throw ConsoleError.badRequest(
                "A value is out of range: the rule is “\(error.constraint?.replacing("_", with: " ") ?? error.message)”."
            )
        }
    }
}
