/// Where a command tree writes and reads, so that tests need no process.
struct Console: Sendable {
    let out: @Sendable (String) -> Void
    let err: @Sendable (String) -> Void
    /// Columns for help on standard output and for usage on standard error.
    let outWidth: Int
    let errWidth: Int
    let environment: @Sendable (String) -> String?

    static var process: Console {
        Console(
            out: { Terminal.write($0, to: 1) }, err: { Terminal.write($0, to: 2) },
            outWidth: max(40, Terminal.width(of: 1) ?? 80), errWidth: max(40, Terminal.width(of: 2) ?? 80),
            environment: Terminal.variable)
    }
}

/// A tool and its commands: finds the requested command, runs it and reports how it ended.
package struct CommandTree: Sendable {
    let tool: String
    let version: String
    let root: Command

    package init(tool: String, version: String, summary: String, commands: [Command]) {
        self.tool = tool
        self.version = version
        root = Command(tool, summary, subcommands: commands)
    }

    /// Runs the command that `arguments` (without the program's own name) ask for and returns the exit code.
    ///
    /// 0 means success and 64 wrong usage (EX_USAGE of sysexits). An `ExitCode` that a command throws sets the code
    /// silently; any other error sets 1 and prints a line on standard error. Help goes to standard output.
    package func run(_ arguments: [String]) async -> Int32 { await run(arguments, console: .process) }

    func run(_ arguments: [String], console: Console) async -> Int32 {
        var arguments = arguments
        if arguments.first == "--version" {
            console.out("\(tool) \(version)\n")
            return 0
        }
        if let text = document(arguments) {
            console.out(text)
            return 0
        }
        if arguments.first == "help" { arguments = Array(arguments.dropFirst()) + ["--help"] }
        var path = [tool]
        var command = root
        var rest = arguments[...]
        do {
            while case .group(let members) = command.body {
                guard let token = rest.popFirst(), token != "--help", token != "-h" else {
                    console.out(Help.text(of: command, path: path, width: console.outWidth))
                    return 0
                }
                command = try Self.member(token, of: members, path: path)
                path.append(command.name)
            }
            guard case .action(let action) = command.body else { return 0 }
            if Parser.asksForHelp(Array(rest)) {
                console.out(Help.text(of: command, path: path, width: console.outWidth))
                return 0
            }
            try await action.run(Parser.parse(Array(rest), for: action, environment: console.environment))
            return 0
        } catch var error as UsageError {
            error.commandPath = path.joined(separator: " ")
            let usage = Help.usage(of: command, path: path, width: console.errWidth)
            let message = Terminal.printable(error.message, keepingLines: true)
            guard !command.reports(message, Array(rest)) else { return 64 }
            console.err("\(tool): \(message)\n\(usage)\nsee '\(error.commandPath) --help'\n")
            return 64
        } catch let error as ExitCode {
            return error.code
        } catch {
            let message = Terminal.printable(String(describing: error), keepingLines: true)
            if !command.reports(message, Array(rest)) { console.err("\(tool): \(message)\n") }
            return 1
        }
    }

    /// For packages: `--manual` prints the manual page, `--completions SHELL` the script for a shell.
    private func document(_ arguments: [String]) -> String? {
        switch (arguments.count, arguments.first) {
        case (1, "--manual"): ManualPage.text(of: tool, version: version, root: root)
        case (2, "--completions"): Completions.text(for: arguments[1], tool: tool, root: root)
        default: nil
        }
    }

    private static func member(_ token: String, of members: [Command], path: [String]) throws -> Command {
        if let found = members.first(where: { $0.name == token }) { return found }
        guard !token.hasPrefix("-") else {
            throw UsageError("unknown option \(shown(token)); put options after the command they belong to")
        }
        let hint = Suggestion.text(for: token, among: members.map(\.name))
        throw UsageError("unknown command \(shown(token)) of \(path.joined(separator: " "))\(hint)")
    }
}

extension Command {
    fileprivate func reports(_ message: String, _ arguments: [String]) -> Bool {
        guard case .action(let action) = body else { return false }
        return action.reportsFailure?(arguments, message) ?? false
    }
}

/// Composes help.
enum Help {
    /// The full help of a command, ending with a newline.
    static func text(of command: Command, path: [String], width: Int) -> String {
        var sections = [usage(of: command, path: path, width: width)]
        sections.append(wrap(words(command.summary), width: width).joined(separator: "\n"))
        if !command.discussion.isEmpty { sections.append(flowed(command.discussion, width: width)) }
        switch command.body {
        case .group(let members):
            sections.append(table("Commands:", members.map { ($0.name, $0.summary) }, width))
            sections.append("see '\(path.joined(separator: " ")) COMMAND --help'")
        case .action(let action):
            if !action.positionals.isEmpty {
                sections.append(
                    table("Arguments:", action.positionals.map { ($0.signature, $0.help) }, width))
            }
            let options = (action.options + [.help]).map { (left(of: $0), $0.note) }
            sections.append(table("Options:", options, width))
            if !action.examples.isEmpty {
                let lines = action.examples.flatMap { example in
                    // A command stays on one line so that it can be copied.
                    ["  \(example.command)"]
                        + wrap(words(example.meaning), width: width - 6).map { "      \($0)" }
                }
                sections.append((["Examples:"] + lines).joined(separator: "\n"))
            }
            let variables = action.options.compactMap { option -> (String, String)? in
                guard case .value(_, _, let variable?) = option.kind else { return nil }
                return (variable, "Used if --\(option.name) is not given.")
            }
            if !variables.isEmpty { sections.append(table("Environment:", variables, width)) }
        }
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// `usage: darkroom enqueue [--lat D] PHOTO...`, wrapped with a hanging indent.
    static func usage(of command: Command, path: [String], width: Int) -> String {
        let pieces: [String] =
            switch command.body {
            case .group: ["COMMAND", "..."]
            case .action(let action):
                action.options.map { option in
                    if case .repeated = option.kind {
                        "[\(option.signature)]..."
                    } else {
                        "[\(option.signature)]"
                    }
                } + action.positionals.map(\.signature)
            }
        let head = "usage: \(path.joined(separator: " "))"
        let indent = min(displayWidth(head) + 1, width / 2)
        let lines = wrap(pieces, width: width - indent)
        guard let first = lines.first else { return head }
        let more = lines.dropFirst().map { String(repeating: " ", count: indent) + $0 }
        return (["\(head) \(first)"] + more).joined(separator: "\n")
    }

    private static func left(of option: Option) -> String {
        (option.short.map { "-\($0), " } ?? "    ") + option.signature
    }

    /// Two columns, the right one wrapped. The text of a long left cell starts on the next line.
    private static func table(_ title: String, _ rows: [(String, String)], _ width: Int) -> String {
        let column = min(rows.map { displayWidth($0.0) }.max() ?? 0, min(30, width / 2))
        var lines = [title]
        for (left, right) in rows {
            var texts = wrap(words(right), width: width - column - 4)[...]
            let padding = column - displayWidth(left)
            if padding >= 0, let first = texts.popFirst() {
                lines.append("  \(left)\(String(repeating: " ", count: padding + 2))\(first)")
            } else {
                lines.append("  \(left)")
            }
            lines += texts.map { String(repeating: " ", count: column + 4) + $0 }
        }
        return lines.joined(separator: "\n")
    }

    /// Wraps paragraphs; lines that begin with a space stay as they are.
    private static func flowed(_ text: String, width: Int) -> String {
        var lines: [String] = []
        var paragraph: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map({ String($0) }) + [""] {
            if !line.isEmpty, !line.hasPrefix(" ") {
                paragraph += words(line)
                continue
            }
            lines += wrap(paragraph, width: width)
            paragraph = []
            lines.append(line)
        }
        return lines.dropLast().joined(separator: "\n")
    }

    private static func words(_ text: String) -> [String] {
        text.split { $0.isWhitespace }.map { String($0) }
    }

    /// Lines of at most `width` columns; a longer word gets its own line.
    static func wrap(_ words: [String], width: Int) -> [String] {
        var lines: [String] = []
        var used = 0
        for word in words {
            let columns = displayWidth(word)
            if let last = lines.indices.last, used + 1 + columns <= width {
                lines[last] += " " + word
                used += 1 + columns
            } else {
                lines.append(word)
                used = columns
            }
        }
        return lines
    }
}
