import Arguments
import CommandSupport
import FoundationEssentials
import Postgres
import Posts

/// The options that change parameters in the commands of `darkroom policy`.
enum PolicyOptions {
    static let all = PolicyParameter.all.map(option)

    private static func option(_ parameter: PolicyParameter) -> Option {
        let placeholder =
            switch parameter.value {
            case .number: "X"
            case .whole: "N"
            case .span: "TIME"
            case .reasons: "LIST"
            case .text: "TEXT"
            }
        return .value(parameter.name, placeholder, parameter.meaning)
    }

    typealias Change = @Sendable (inout ModerationPolicy) -> Void

    /// The changes that `arguments` ask for.
    ///
    /// - Throws: `UsageError` for an invalid number, time or reason. The database checks the ranges.
    static func changes(_ arguments: ParsedArguments) throws -> [Change] {
        try PolicyParameter.all.compactMap { parameter -> Change? in
            switch parameter.value {
            case .number(let path):
                guard let number = try arguments.double(parameter.name, in: 0...1e9) else { return nil }
                return { $0[keyPath: path] = number }
            case .whole(let path):
                guard let number = try arguments.int(parameter.name, in: 0...1_000_000_000) else {
                    return nil
                }
                return { $0[keyPath: path] = number }
            case .span(let path):
                guard let span = try arguments.duration(parameter.name) else { return nil }
                return { $0[keyPath: path] = span }
            case .reasons(let path):
                guard let text = arguments.string(parameter.name) else { return nil }
                let reasons = try text.split(separator: ",").map { try reason(String($0), parameter.name) }
                return { $0[keyPath: path] = reasons }
            case .text(let path):
                guard let text = arguments.string(parameter.name) else { return nil }
                return { $0[keyPath: path] = text }
            }
        }
    }

    /// Refuses options that a trial would ignore.
    ///
    /// - Throws: `UsageError`.
    static func checkTriable(_ arguments: ParsedArguments) throws {
        for parameter in PolicyParameter.all where arguments.string(parameter.name) != nil {
            guard let subject = parameter.subject.whatElse else { continue }
            throw UsageError(
                "--\(parameter.name) cannot be tried: a trial shows which posts reports would have hidden, and this is "
                    + "about \(subject)")
        }
    }

    private static func reason(_ text: String, _ option: String) throws -> ReportGround {
        if let reason = ReportGround(rawValue: text) { return reason }
        let known = ReportGround.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--\(option): \(text) is not one of \(known)")
    }

    /// The name of a broken constraint says what is wrong.
    static func explained<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError where error.sqlState == .checkViolation {
            let rule = error.constraint?.replacing("_", with: " ") ?? error.message
            throw CommandError("a value is out of range: the rule is “\(rule)”")
        }
    }
}

extension PolicyParameter.Subject {
    /// The subject of a parameter that does not decide what is hidden; nil for the others.
    fileprivate var whatElse: String? {
        switch self {
        case .hiding: nil
        case .comingBack: "how hidden posts come back"
        case .uploads: "which uploads are held for review"
        case .statements: "what statements of reasons say"
        }
    }
}
