extension Unicode.Scalar {
    /// Whether this is a control character, line separator or bidirectional control: one that can make a terminal
    /// show something other than the text.
    package var canSteerTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// Whether this is one line of at most `bytes` bytes of UTF-8 in which nothing can steer a terminal.
    package func isPlainLine(atMost bytes: Int) -> Bool {
        utf8.count <= bytes && !unicodeScalars.contains(where: \.canSteerTerminal)
    }

    /// One line of at most `bytes` bytes of UTF-8. What can steer a terminal becomes a space; the end of a long text is cut off.
    package func plainLine(atMost bytes: Int) -> String {
        var line = UnicodeScalarView()
        var left = bytes
        for scalar in unicodeScalars {
            let shown = scalar.canSteerTerminal ? " " : scalar
            left -= UTF8.width(shown)
            guard left >= 0 else { break }
            line.append(shown)
        }
        return String(line)
    }
}
