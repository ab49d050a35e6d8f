extension String {
    /// The text as a JSON string (RFC 8259), in quotes.
    ///
    /// Whatever can steer a terminal is escaped besides what JSON asks for, so that a line stays one line and a terminal
    /// may show it.
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
