import ChildProcess
import FoundationEssentials
import TestKit
import Testing

/// What Phil Harvey's exiftool, which most programs for photos use, reads of files.
enum ExifTool {
    /// The values of tags, a row for each file. Numbers stand in decimals, positions with their sign.
    ///
    /// - Parameters:
    ///   - tags: each with its group, such as `GPS:GPSLatitude`.
    ///   - files: each with a suffix that says its format.
    /// - Returns: a row for each file, with nil for a tag that the file lacks.
    static func read(_ tags: [String], of files: [(suffix: String, bytes: [UInt8])]) async throws
        -> [[String?]]
    {
        let program = try #require(
            ChildProgram.find("exiftool"), "exiftool is missing; install Debian's libimage-exiftool-perl")
        return try await withTemporaryDirectory { (folder: String) async throws -> [[String?]] in
            var names: [String] = []
            for (index, file) in files.enumerated() {
                names.append("\(folder)/\(index).\(file.suffix)")
                try Data(file.bytes).write(to: URL(filePath: names[index]))
            }
            // A list of arguments in a file: there may be more than a command line can have.
            let list = "\(folder)/arguments"
            let arguments =
                ["-n", "-m", "-q", "-T"] + tags.map { "-" + $0 } + names
            try Data((arguments.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: list))
            let output = try await ChildProgram(program, ["-@", list]).run()
            let rows = output.standardOutput.split(separator: "\n").map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map {
                    $0 == "-" ? nil : String($0)
                }
            }
            try #require(rows.count == files.count, "\(output.standardError.prefix(2000))")
            return rows
        }
    }
}
