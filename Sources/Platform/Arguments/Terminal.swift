import Glibc
import PlainText

/// What is known of the terminal, if there is one.
package enum Terminal {
    /// The columns of the terminal behind a descriptor; nil where it is no terminal or does not tell.
    package static func width(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

    /// The columns and lines of the terminal behind a descriptor; nil where it is no terminal or does not tell.
    package static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        guard isTerminal(descriptor) else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Writes all of a text, as far as the descriptor takes it; there is nobody to tell where it does not.
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

    /// The text with each character replaced that can steer the terminal: `␛` for ESC, `U+FFFD` for those without a picture.
    package static func printable(_ text: String, keepingLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: \.canSteerTerminal) else { return text }
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if keepingLines, scalar == "\n" {
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

/// A value in a message: quoted where it is empty or has spaces, cut where it is long, safe for a terminal.
func shown(_ value: String) -> String {
    let text = truncated(Terminal.printable(value), to: 80)
    return text.isEmpty || text.contains(where: \.isWhitespace) ? "'\(text)'" : text
}
