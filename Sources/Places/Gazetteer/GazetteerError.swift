/// Why an index could not be built, opened or verified.
///
/// For an input file, `line` and `column` count from 1; `column` is the number of the tab-separated
/// field, or of the byte in GeoJSON. The message says what to do.
package struct GazetteerError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// A system call failed: the message holds its reason.
        case io
        /// The file is not a gazetteer index.
        case notAnIndex
        /// The index has a format that this program cannot read.
        case unsupportedVersion
        /// The index is shorter than its header says.
        case truncated
        /// The index contradicts itself or its checksum.
        case corrupt
        /// A field of an input file cannot be read.
        case malformedInput
        /// A required input is missing.
        case missingInput
        /// A program needed to read an input's format is not installed.
        case missingTool
    }

    package let code: Code
    package let file: String
    package let line: Int?
    package let column: Int?
    package let message: String

    package init(_ code: Code, file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String {
        let position = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        return "\(file)\(position): \(message)"
    }
}
