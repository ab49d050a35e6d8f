package import Arguments
import Glibc

/// Writes a command's result to standard output.
package enum Output {
    /// Writes lines. What can steer a terminal is replaced, since a text may hold what people or files are called.
    package static func line(_ text: String) {
        // The reader, such as `| head`, is gone, so there is no point in going on.
        if !put(text, on: STDOUT_FILENO) { exit(0) }
    }

    package static func table(_ table: TextTable) {
        var text = table.render(width: Terminal.width(of: STDOUT_FILENO))
        while text.last == "\n" { text.removeLast() }
        if !text.isEmpty { line(text) }
    }

    /// Writes `text` without an end of line. Returns false if the reader is gone.
    ///
    /// - Throws: `CommandError` if it cannot be written for another reason, such as a full disk.
    package static func raw(_ text: String) throws -> Bool {
        if write(text, to: STDOUT_FILENO) { return true }
        guard errno == EPIPE else {
            throw CommandError("cannot write standard output: \(String(cString: strerror(errno)))")
        }
        return false
    }

    /// Writes to standard error what is not part of the result.
    package static func note(_ text: String) {
        _ = put(text, on: STDERR_FILENO)
    }

    private static func put(_ text: String, on descriptor: Int32) -> Bool {
        write(Terminal.printable(text, keepingLines: true) + "\n", to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}
