extension Command {
    /// This command and all below it, each with the names that lead to it from here, in the order of help.
    func walk(_ path: [String] = []) -> [(path: [String], command: Command)] {
        [(path, self)] + members.flatMap { $0.walk(path + [$0.name]) }
    }

    /// The subcommands of a group.
    var members: [Command] {
        guard case .group(let members) = body else { return [] }
        return members
    }

    var options: [Option] {
        guard case .action(let action) = body else { return [] }
        return action.options
    }

    /// Whether arguments are names of files.
    var takesFiles: Bool {
        guard case .action(let action) = body else { return false }
        return action.positionals.contains { Option.placeholdersOfFiles.contains($0.label) }
    }
}

extension Option {
    /// What help calls a value that is the name of a file or folder.
    static let placeholdersOfFiles: Set<String> = ["DIR", "FILE", "PATH", "PHOTO"]

    /// What help calls the value; nil for a flag.
    var placeholder: String? {
        switch kind {
        case .flag: nil
        case .value(let placeholder, _, _), .repeated(let placeholder): placeholder
        }
    }

    var takesFile: Bool { placeholder.map(Self.placeholdersOfFiles.contains) ?? false }

    /// `-j` and `--json`, as they are typed.
    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// The help, with what the kind adds.
    var note: String {
        switch kind {
        case .flag: help
        case .repeated: "\(help) (may be repeated)"
        case .value(_, let standard?, _): "\(help) (default: \(standard))"
        case .value: help
        }
    }

    /// What every command has.
    static let help = Option.flag("help", short: "h", "Show this help.")
}
