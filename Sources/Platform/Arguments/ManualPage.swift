/// Writes the manual page of a tool with all of its commands, in the macros of man(7).
struct ManualPage {
    private var lines: [String] = []

    static func text(of tool: String, version: String, root: Command) -> String {
        var page = ManualPage()
        page.lines = [
            #".TH \#(tool.uppercased()) 1 "" "Darkroom \#(version)" "User Commands""#,
            ".SH NAME", "\(plain(tool)) \\- \(plain(lowercasedFirst(root.summary)))",
            ".SH SYNOPSIS", ".B \(plain(tool))", ".I COMMAND", #"\&.\|.\|."#, ".br",
            ".B \(plain(tool)) help", ".I COMMAND", ".br", ".B \(plain(tool)) \\-\\-version",
        ]
        if !root.discussion.isEmpty {
            page.lines.append(".SH DESCRIPTION")
            page.add(flowing: root.discussion)
        }
        page.lines.append(".SH COMMANDS")
        for (path, command) in root.walk().dropFirst() { page.add(command, path: [tool] + path) }
        page.add(variablesOf: root)
        page.lines += [".SH EXIT STATUS"]
        page.add(term: ".B 0", "Success.")
        page.add(term: ".B 1", "An error, which standard error names; or a check found something.")
        page.add(term: ".B 64", "Wrong usage.")
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func add(_ command: Command, path: [String]) {
        lines.append(".SS \(Self.plain(path.joined(separator: " ")))")
        add(flowing: command.summary)
        if !command.discussion.isEmpty { add(flowing: command.discussion) }
        guard case .action(let action) = command.body else { return }
        for positional in action.positionals {
            add(term: ".I \(Self.plain(positional.signature))", positional.help)
        }
        for option in action.options {
            let spellings = option.spellings.map(Self.plain).joined(separator: ", ")
            // Bold, then italics: the value.
            let value = option.placeholder.map { " \" \" \(Self.quoted($0))" } ?? ""
            add(term: ".BI \(Self.quoted(spellings, isPlain: true))\(value)", option.note)
        }
        for example in action.examples {
            lines += [
                ".PP", ".EX", Self.line(example.command), ".EE", ".RS 4", Self.line(example.meaning), ".RE",
            ]
        }
    }

    private mutating func add(variablesOf root: Command) {
        var names: [String: Set<String>] = [:]
        for (_, command) in root.walk() {
            for option in command.options {
                guard case .value(_, _, let variable?) = option.kind else { continue }
                names[variable, default: []].insert("--\(option.name)")
            }
        }
        guard !names.isEmpty else { return }
        lines.append(".SH ENVIRONMENT")
        for (name, options) in names.sorted(by: { $0.key < $1.key }) {
            add(
                term: ".B \(Self.plain(name))",
                "Used if \(options.sorted().joined(separator: " or ")) is not given.")
        }
    }

    private mutating func add(term: String, _ text: String) {
        lines += [".TP", term, Self.line(text)]
    }

    /// Paragraphs; lines that begin with a space stay as they are.
    private mutating func add(flowing text: String) {
        var isLiteral = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) {
            if line.hasPrefix(" ") != isLiteral {
                isLiteral.toggle()
                lines.append(isLiteral ? ".PP\n.EX" : ".EE")
            }
            if !isLiteral, lines.last?.hasPrefix(".S") == false { lines.append(".PP") }
            lines.append(Self.line(line))
        }
        if isLiteral { lines.append(".EE") }
    }

    private static func lowercasedFirst(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst().trimmingSuffix(while: { $0 == "." })
    }

    /// Text in which no character has a meaning for roff. A hyphen is a minus sign, so that options can be copied.
    private static func plain(_ text: String) -> String {
        text.replacing("\\", with: "\\[rs]").replacing("-", with: "\\-").replacing("'", with: "\\[aq]")
            .replacing("\"", with: "\\[dq]").replacing("^", with: "\\[ha]").replacing("~", with: "\\[ti]")
            .replacing("`", with: "\\[ga]")
    }

    /// A line of text: no macro, even if it begins like one.
    private static func line(_ text: String) -> String {
        let plain = plain(text)
        return plain.hasPrefix(".") ? "\\&" + plain : plain
    }

    /// One argument of a macro.
    private static func quoted(_ text: String, isPlain: Bool = false) -> String {
        "\"\(isPlain ? text : plain(text))\""
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> String {
        var rest = self[...]
        while let last = rest.last, matches(last) { rest = rest.dropLast() }
        return String(rest)
    }
}
