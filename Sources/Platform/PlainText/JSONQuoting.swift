extension String {
    /// The text as a JSON string (RFC 8259), in quotes.
    ///
    /// Besides what JSON requires, it escapes every character that can steer a terminal, so that a line stays one
    /// line and is safe to print.
    package var quotedAsJSON: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            // All of these lie in the basic plane, so four digits are enough.
            case _ where scalar.canSteerTerminal: quoted += "\\u" + scalar.value.padded(to: 4, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
