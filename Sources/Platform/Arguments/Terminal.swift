import Glibc
import PlainText

/// What is known about the terminal, if there is one.
package enum Terminal {
    /// The columns of the terminal behind a descriptor; nil if it is not a terminal or its size is unknown.
    package static func width(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

    /// The columns and lines of the terminal behind a descriptor; nil if it is not a terminal or its size is unknown.
    package static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        guard isTerminal(descriptor) else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Writes as much of a text as the descriptor takes. A failure is ignored: there is nowhere left to report it.
    static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }

    /// The text with every character that can steer the terminal replaced: by its picture (`␛` for ESC) or `U+FFFD`.
    ///
    /// - Parameter keepingLines: whether ends of lines and tabs stay.
    package static func printable(_ text: String, keepingLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: \.canSteerTerminal) else { return text }
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if keepingLines, scalar == "\n" || scalar == "\t" {
                clean.append(scalar)
            } else if scalar.value < 0x20 {
                clean.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            } else if scalar.value == 0x7F {
                clean.append("\u{2421}")
            } else {
                clean.append(scalar.canSteerTerminal ? "\u{FFFD}" : scalar)
            }
        }
        return String(clean)
    }
}

/// A value in a message: quoted if it is empty or has spaces, cut if it is long, and safe for a terminal.
func shown(_ value: String) -> String {
    let text = truncated(Terminal.printable(value), to: 80)
    return text.isEmpty || text.contains(where: \.isWhitespace) ? "'\(text)'" : text
}
