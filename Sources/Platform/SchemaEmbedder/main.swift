import Foundation

// Writes all SQL files below a folder into one Swift file: `SchemaEmbedder sql EmbeddedFiles.swift`.

let (folder, output) = (URL(filePath: CommandLine.arguments[1]), URL(filePath: CommandLine.arguments[2]))
let manager = FileManager.default

/// The paths below the folder, without `schema.sql`, which is generated from a database.
let paths = try manager.subpathsOfDirectory(atPath: folder.path)
    .filter { $0.hasSuffix(".sql") && $0 != "schema.sql" }.sorted()
let entries = try paths.map { path in
    let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    // Three number signs: no SQL has a quotation mark followed by them.
    return "    SchemaFile(\n        path: \"\(path)\",\n        text: ###\"\"\"\n\(text)\n\"\"\"###),\n"
}
let source = """
    extension SchemaFile {
        /// The files of `sql/`, by path.
        package static let all: [SchemaFile] = [
    \(entries.joined())    ]
    }

    """
// A file that is written again is compiled again, with all that depends on it.
let known = try? Data(contentsOf: output)
if known != Data(source.utf8) { try Data(source.utf8).write(to: output) }
