import Arguments
import CommandSupport
import Glibc
import Threads
import Tokens

/// Keys of servers that call `darkroom serve` for people.
enum KeysCommand {
    static let command = Command(
        "keys", "Make API keys for the servers that call 'darkroom serve' for people.", subcommands: [create])

    private static let create = Command(
        "create", "Make a key, and print it with its line for the file of --api-keys.",
        discussion: """
            Prints two lines: the key, which the server NAME sends as 'Authorization: Bearer drk_…', and the line with its hash \
            for the file of 'darkroom serve --api-keys'. With --append, the line is added to that file, and only the key is \
            printed. The key is kept nowhere and cannot be shown again. A server with a key may act for every person: it names \
            one in Darkroom-Person.

            To change a key, make another one with the same NAME, give it to the server, and delete the old line. 'darkroom \
            serve' reads the file again within two seconds.
            """,
        options: [
            .value("note", "TEXT", "a remark for people at the end of the line"),
            .value("append", "FILE", "add the line to this file, which is made if it is missing"),
        ],
        positionals: [.required("NAME", "the server's name: 1 to 100 letters, digits, or . _ -")],
        examples: [
            Example(
                "darkroom keys create website --append /etc/darkroom/api-keys", "prints the key of website"),
            Example("darkroom keys create website --note 'since May'", "prints the key and its line"),
        ]
    ) { arguments in
        let name = arguments.string("NAME") ?? ""
        let note = arguments.string("note") ?? ""
        guard !note.contains(where: \.isNewline) else {
            throw UsageError("--note must be one line")
        }
        guard let new = APIKeys.make(name: name, note: note) else {
            throw UsageError("NAME '\(name)' must be 1 to 100 letters, digits, or . _ -")
        }
        guard let path = arguments.string("append") else {
            Output.line(new.key)
            Output.line(new.line)
            Output.note(
                "The first line is the key; it is not shown again. The second is its line for the file of --api-keys."
            )
            return
        }
        try await onThread { try append(new.line, to: path) }
        Output.line(new.key)
    }

    /// A line is written by one call: 'darkroom serve' may read the file at any time.
    private static func append(_ line: String, to path: String) throws {
        func fail() -> CommandError {
            CommandError("--append: \(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        // A hash of 256 random bits is no secret, and the user of the server must be able to read it.
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o644)
        guard descriptor >= 0 else { throw fail() }
        defer { close(descriptor) }
        var last: UInt8 = UInt8(ascii: "\n")
        let size = lseek(descriptor, 0, SEEK_END)
        if size > 0, pread(descriptor, &last, 1, size - 1) != 1 { throw fail() }
        let bytes = Array(((last == UInt8(ascii: "\n") ? "" : "\n") + line + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw fail() }
    }
}
