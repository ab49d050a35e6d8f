/// An option of a command: a flag, one value or a value that may be repeated.
///
/// Names are written without dashes. A short name is a letter; digits are refused because `-3` is a value.
package struct Option: Sendable {
    enum Kind: Sendable {
        case flag
        case value(placeholder: String, default: String?, environment: String?)
        case repeated(placeholder: String)
    }

    let name: String
    let short: Character?
    let help: String
    let kind: Kind

    /// An option without a value: `--json`.
    package static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
        Option(name: name, short: short, help: help, kind: .flag)
    }

    /// An option with one value, which may be given once: `--lat D`.
    ///
    /// If it is not given, a non-empty environment variable is used, then the default.
    package static func value(
        _ name: String, short: Character? = nil, _ placeholder: String, _ help: String,
        default: String? = nil,
        environment: String? = nil
    ) -> Option {
        let kind = Kind.value(placeholder: placeholder, default: `default`, environment: environment)
        return Option(name: name, short: short, help: help, kind: kind)
    }

    /// An option with a value that may be given any number of times.
    package static func repeated(_ name: String, _ placeholder: String, _ help: String) -> Option {
        Option(name: name, short: nil, help: help, kind: .repeated(placeholder: placeholder))
    }

    /// `--lat D`, or `--json`.
    var signature: String {
        switch kind {
        case .flag: "--\(name)"
        case .value(let placeholder, _, _), .repeated(let placeholder): "--\(name) \(placeholder)"
        }
    }
}

/// A positional argument.
///
/// Required ones come first, then optional ones, then at most one that takes the rest. Help and messages show
/// the name in capitals.
package struct Positional: Sendable {
    enum Kind: Int, Sendable { case required, optional, rest, restRequired }

    let name: String
    let help: String
    let kind: Kind

    /// Exactly one argument.
    package static func required(_ name: String, _ help: String) -> Positional {
        Positional(name: name, help: help, kind: .required)
    }

    /// One argument or none.
    package static func optional(_ name: String, _ help: String) -> Positional {
        Positional(name: name, help: help, kind: .optional)
    }

    /// Zero or more arguments.
    package static func rest(_ name: String, _ help: String) -> Positional {
        Positional(name: name, help: help, kind: .rest)
    }

    /// One or more arguments.
    package static func restRequired(_ name: String, _ help: String) -> Positional {
        Positional(name: name, help: help, kind: .restRequired)
    }

    var label: String { name.uppercased() }
    var takesRest: Bool { kind == .rest || kind == .restRequired }

    var signature: String {
        switch kind {
        case .required: label
        case .optional: "[\(label)]"
        case .rest: "[\(label)...]"
        case .restRequired: "\(label)..."
        }
    }
}

/// An example command line to copy, and what it does.
package struct Example: Sendable {
    let command: String
    let meaning: String

    package init(_ command: String, _ meaning: String) {
        self.command = command
        self.meaning = meaning
    }
}

/// A command that runs something, or a group of subcommands.
package struct Command: Sendable {
    struct Action: Sendable {
        let options: [Option]
        let positionals: [Positional]
        let examples: [Example]
        var reportsFailure: FailureReport?
        let run: @Sendable (ParsedArguments) async throws -> Void
    }

    /// Reports why a command ends. Returns false to have the message printed as usual.
    package typealias FailureReport = @Sendable (_ arguments: [String], _ message: String) -> Bool

    enum Body: Sendable {
        case action(Action)
        case group([Command])
    }

    let name: String
    let summary: String
    let discussion: String
    private(set) var body: Body

    /// A command that calls `run` with the parsed arguments.
    ///
    /// Traps if a name is declared twice or the order of the positionals cannot be parsed.
    package init(
        _ name: String, _ summary: String, discussion: String = "", options: [Option] = [],
        positionals: [Positional] = [], examples: [Example] = [],
        run: @escaping @Sendable (ParsedArguments) async throws -> Void
    ) {
        let names = options.map(\.name) + positionals.map(\.name) + ["help"]
        precondition(Set(names).count == names.count, "\(name): a name is declared twice")
        let shorts = options.compactMap(\.short) + ["h"]
        precondition(Set(shorts).count == shorts.count, "\(name): a short name is declared twice")
        precondition(shorts.allSatisfy(\.isLetter), "\(name): a short name is not a letter")
        let order = positionals.map(\.kind.rawValue)
        precondition(order == order.sorted(), "\(name): positionals are out of order")
        precondition(
            !positionals.dropLast().contains(where: \.takesRest), "\(name): only the last takes the rest")
        precondition(
            positionals.last?.kind != .restRequired || !positionals.contains { $0.kind == .optional },
            "\(name): an optional argument before a required rest")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        body = .action(Action(options: options, positionals: positionals, examples: examples, run: run))
    }

    /// The command, which reports in its own way why it ends: wrong usage, too.
    package func reportingFailures(_ report: @escaping FailureReport) -> Command {
        guard case .action(var action) = body else { return self }
        action.reportsFailure = report
        var command = self
        command.body = .action(action)
        return command
    }

    /// A group: its name is followed by the name of a subcommand.
    package init(_ name: String, _ summary: String, discussion: String = "", subcommands: [Command]) {
        precondition(Set(subcommands.map(\.name)).count == subcommands.count, "\(name): a subcommand twice")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        body = .group(subcommands)
    }
}

/// What is wrong with the arguments a person gave, in words that say what is accepted.
package struct UsageError: Error, CustomStringConvertible {
    /// The option or argument, its value and what is accepted.
    package let message: String
    /// The command it was given to, such as `darkroom jobs list`; empty until the command tree catches the error.
    package internal(set) var commandPath = ""

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}

/// Ends the program with an exit code and no message, after a command has printed everything itself.
package struct ExitCode: Error, Equatable {
    package let code: Int32
    package init(_ code: Int32) { self.code = code }
}
