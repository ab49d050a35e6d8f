/// Sorts the tokens after a command's name into options and positionals, by the conventions of getopt_long (GNU).
///
/// Options and positionals mix in any order. `--` ends the options. A token that starts with `-` and a digit or
/// `.` is a value. Abbreviated names are refused: their meaning would change as options are added.
struct Parser {
    private let action: Command.Action
    private var flags: Set<String> = []
    private var given: [String: [String]] = [:]
    private var places: [String] = []

    static func parse(
        _ tokens: [String], for action: Command.Action, environment: (String) -> String?
    ) throws -> ParsedArguments {
        var parser = Parser(action: action)
        try parser.read(tokens)
        var values = try parser.positionalValues()
        for option in action.options {
            values[option.name] = parser.value(of: option, environment: environment)
        }
        return ParsedArguments(values: values)
    }

    private init(action: Command.Action) { self.action = action }

    /// Whether a token is an option rather than a value: `-` alone and `-33.9` are values.
    static func isOption(_ token: String) -> Bool {
        guard token.hasPrefix("-"), let second = token.dropFirst().first else { return false }
        return second != "." && !("0"..."9").contains(second)
    }

    /// Whether help is asked for anywhere before `--`.
    static func asksForHelp(_ tokens: [String]) -> Bool {
        tokens.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    private mutating func read(_ tokens: [String]) throws {
        var rest = tokens[...]
        while let token = rest.popFirst() {
            if token == "--" {
                places += rest
                return
            } else if token.hasPrefix("--") {
                try readLong(token.dropFirst(2), &rest)
            } else if Self.isOption(token) {
                try readShort(token.dropFirst(), &rest)
            } else {
                places.append(token)
            }
        }
    }

    private mutating func readLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws {
        let name = String(text.prefix { $0 != "=" })
        let attached = name.count < text.count ? String(text.dropFirst(name.count + 1)) : nil
        guard let option = action.options.first(where: { $0.name == name }) else {
            let hint = Suggestion.text(for: name, among: action.options.map(\.name) + ["help"], prefix: "--")
            throw UsageError("unknown option \(shown("--" + name))\(hint)")
        }
        try take(option, attached: attached, &rest)
    }

    /// Reads `-n`, `-n value`, `-nvalue` and clustered flags.
    private mutating func readShort(_ text: Substring, _ rest: inout ArraySlice<String>) throws {
        var cluster = text
        while let letter = cluster.popFirst() {
            guard let option = action.options.first(where: { $0.short == letter }) else {
                let whole = text.count > 1 ? " in \(shown("-" + text))" : ""
                let hint =
                    text.count > 1
                    ? Suggestion.text(for: String(text), among: action.options.map(\.name), prefix: "--") : ""
                throw UsageError("unknown option \(shown("-\(letter)"))\(whole)\(hint)")
            }
            if case .flag = option.kind {
                flags.insert(option.name)
            } else {
                try take(option, attached: cluster.isEmpty ? nil : String(cluster), &rest)
                return
            }
        }
    }

    private mutating func take(_ option: Option, attached: String?, _ rest: inout ArraySlice<String>) throws {
        if case .flag = option.kind {
            if let attached {
                throw UsageError("--\(option.name) takes no value, but was given \(shown(attached))")
            }
            flags.insert(option.name)
            return
        }
        let value: String
        if let attached {
            value = attached
        } else if let next = rest.first, !Self.isOption(next) {
            value = next
            rest.removeFirst()
        } else {
            let hint = rest.first.map {
                "; for a value that starts with '-' write --\(option.name)=\(shown($0))"
            }
            throw UsageError("--\(option.name) needs a value: \(option.signature)\(hint ?? "")")
        }
        if case .value = option.kind, let earlier = given[option.name]?.first {
            throw UsageError(
                "--\(option.name) is given twice, \(shown(earlier)) and \(shown(value)); give it once")
        }
        given[option.name, default: []].append(value)
    }

    private func value(of option: Option, environment: (String) -> String?) -> ParsedArguments.Value {
        let label = "--\(option.name)"
        switch option.kind {
        case .flag:
            return .flag(flags.contains(option.name))
        case .repeated:
            return .list(given[option.name] ?? [], label: label)
        case .value(_, let standard, let variable):
            if let text = given[option.name]?.first { return .text(text, label: label) }
            if let variable, let text = environment(variable), !text.isEmpty {
                return .text(text, label: variable)
            }
            return .text(standard, label: label)
        }
    }

    private func positionalValues() throws -> [String: ParsedArguments.Value] {
        var values: [String: ParsedArguments.Value] = [:]
        var rest = places[...]
        for positional in action.positionals {
            if rest.isEmpty, positional.kind == .required || positional.kind == .restRequired {
                throw UsageError("\(positional.label) is missing: \(positional.help)")
            }
            if positional.takesRest {
                values[positional.name] = .list(Array(rest), label: positional.label)
                rest = []
            } else {
                values[positional.name] = .text(rest.popFirst(), label: positional.label)
            }
        }
        if let extra = rest.first {
            let accepted = action.positionals.map(\.signature).joined(separator: " ")
            throw UsageError(
                "unexpected argument \(shown(extra)); accepted: \(accepted.isEmpty ? "options only" : accepted)"
            )
        }
        return values
    }
}

/// Finds what a person probably meant.
enum Suggestion {
    /// `; did you mean --caption?`, or an empty text if no candidate is close.
    static func text(for word: String, among candidates: [String], prefix: String = "") -> String {
        nearest(to: word, among: candidates).map { "; did you mean \(prefix)\($0)?" } ?? ""
    }

    /// The only candidate that starts with `word`; otherwise the one with the fewest edits. One edit is allowed, and
    /// one more for every four letters.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        // Longer words are not typos, and the distance costs their length times the candidate's.
        guard !word.isEmpty, word.count <= 40 else { return nil }
        let begun = candidates.filter { $0.hasPrefix(word) }
        if begun.count == 1 { return begun[0] }
        let ranked = candidates.map { (name: $0, edits: distance(word, $0)) }
        if let best = ranked.min(by: { $0.edits < $1.edits }), best.edits <= 1 + word.count / 4,
            best.edits < word.count
        {
            return best.name
        }
        return nil
    }

    /// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours each count as
    /// one (Damerau 1964; the recurrence of Wagner and Fischer 1974 with the transposition case).
    static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first)
        let b = Array(second)
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            for j in b.indices {
                var edits = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { edits = min(edits, before[j - 1] + 1) }
                current.append(edits)
            }
            (before, previous) = (previous, current)
        }
        return previous[b.count]
    }
}
