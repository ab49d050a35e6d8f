/// Writes what a shell completes: commands, options and names of files.
enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    /// Nil if the shell is unknown.
    static func text(for shell: String, tool: String, root: Command) -> String? {
        switch shell {
        case "bash": bash(tool, root)
        case "zsh": zsh(tool, root)
        case "fish": fish(tool, root)
        default: nil
        }
    }

    /// A function's name: `_darkroom_dev`.
    private static func function(_ tool: String) -> String { "_" + tool.replacing("-", with: "_") }

    /// In single quotes, as all three shells read it.
    private static func quoted(_ text: String, escaping quote: String) -> String {
        "'\(text.replacing("'", with: quote))'"
    }

    private static func names(_ root: Command, _ path: [String], _ command: Command) -> [String] {
        command.members.map(\.name) + (path.isEmpty ? ["help"] : [])
    }

    /// Patterns of `case` that match each command below the tool.
    private static func paths(_ root: Command) -> String {
        root.walk().dropFirst().map { "'\($0.path.joined(separator: " "))'" }.joined(separator: " | ")
    }

    private static func bash(_ tool: String, _ root: Command) -> String {
        var cases: [String] = []
        for (path, command) in root.walk() {
            let options = command.options + [.help]
            let spelt = { (wanted: (Option) -> Bool) in
                options.filter(wanted).flatMap(\.spellings).joined(separator: " ")
            }
            let extra = path.isEmpty ? " --version" : ""
            cases += [
                "        '\(path.joined(separator: " "))')",
                "            commands='\(names(root, path, command).joined(separator: " "))'",
                "            options='\(spelt { _ in true })\(extra)'",
                "            values=' \(spelt { $0.placeholder != nil && !$0.takesFile }) '",
                "            files=' \(spelt(\.takesFile)) '",
                "            takes_files=\(command.takesFiles ? "yes" : "")",
                "            ;;",
            ]
        }
        return """
            # Completions of \(tool) for bash, made from its commands.
            \(function(tool))() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                local at='' word i commands='' options='' values='' files='' takes_files=''
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word=${at:+$at }${COMP_WORDS[i]}
                    case $word in
                        \(paths(root))) at=$word ;;
                    esac
                done
                case $at in
            \(cases.joined(separator: "\n"))
                esac
                COMPREPLY=()
                compopt +o filenames 2>/dev/null
                if [[ $files == *" $previous "* ]] || [[ $takes_files && $current != -* && $values != *" $previous "* ]]; then
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                elif [[ $values == *" $previous "* ]]; then
                    return
                elif [[ $current == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
                else
                    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
                fi
            }
            complete -F \(function(tool)) \(tool)

            """
    }

    private static func zsh(_ tool: String, _ root: Command) -> String {
        func described(_ text: String) -> String {
            text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
                .replacing(":", with: "\\:")
        }
        func word(_ text: String) -> String { quoted(text, escaping: "'\\''") }
        var cases: [String] = []
        for (path, command) in root.walk() {
            var lines: [String] = []
            if command.members.isEmpty {
                for option in command.options + [.help] {
                    let repeats = if case .repeated = option.kind { "*" } else { "" }
                    let value = option.placeholder.map { ":\($0):\(option.takesFile ? "_files" : " ")" } ?? ""
                    let note = "[\(described(option.help))]\(value)"
                    lines += option.spellings.map { "        " + word(repeats + $0 + note) }
                }
                if command.takesFiles { lines.append("        '*:file:_files'") }
                lines = ["        _arguments -s -S \\"] + [lines.joined(separator: " \\\n")]
            } else {
                let members = command.members.map { "\($0.name):\($0.summary)" }
                let all = members + (path.isEmpty ? ["help:Show the help of a command."] : [])
                lines = ["        members=("] + all.map { "            " + word($0) }
                lines += ["        )", "        _describe command members"]
            }
            cases += ["    \(word(path.joined(separator: " "))))"] + lines + ["        ;;"]
        }
        return """
            #compdef \(tool)
            # Completions of \(tool) for zsh, made from its commands.
            \(function(tool))() {
                local at='' next
                local -a members
                while (( CURRENT > 2 )); do
                    next=${at:+$at }$words[2]
                    case $next in
                        (help) ;;
                        (\(paths(root))) at=$next ;;
                        (*) break ;;
                    esac
                    shift words
                    (( CURRENT-- ))
                done
                case $at in
            \(cases.joined(separator: "\n"))
                esac
            }
            \(function(tool)) "$@"

            """
    }

    private static func fish(_ tool: String, _ root: Command) -> String {
        func word(_ text: String) -> String { quoted(text.replacing("\\", with: "\\\\"), escaping: "\\'") }
        let at = "_\(function(tool))_at"
        var lines: [String] = []
        for (path, command) in root.walk() {
            let here = "complete -c \(tool) -n \(word("\(at) '\(path.joined(separator: " "))'"))"
            for member in command.members {
                lines.append("\(here) -f -a \(member.name) -d \(word(member.summary))")
            }
            if path.isEmpty {
                lines.append("\(here) -f -a help -d 'Show the help of a command.'")
                lines.append("\(here) -f -l version -d 'Print the version.'")
            }
            if !command.takesFiles { lines.append("\(here) -f") }
            for option in command.options + [.help] {
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.placeholder == nil ? "" : option.takesFile ? " -r -F" : " -x"
                lines.append("\(here) -l \(option.name)\(short)\(value) -d \(word(option.help))")
            }
        }
        return """
            # Completions of \(tool) for fish, made from its commands.
            function \(at)
                set -l at
                for word in (commandline -opc)[2..-1]
                    set -l next (string join ' ' $at $word)
                    switch $next
                        case \(root.walk().dropFirst().map { "'\($0.path.joined(separator: " "))'" }.joined(separator: " "))
                            set at $at $word
                    end
                end
                test "$at" = "$argv[1]"
            end
            \(lines.joined(separator: "\n"))

            """
    }
}
