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
