import ChildProcess
import LocalCluster

/// The schema of a database as `pg_dump` writes it, without owners, rights and daily partitions, which differ between
/// databases, and without function bodies, which have their own files.
package enum SchemaDump {
    package static func of(_ url: String) async throws -> String {
        let program = try await LocalCluster.serverProgram("pg_dump")
        let output = try await ChildProgram(
            program,
            [
                "--schema-only", "--no-owner", "--no-privileges", "--schema=darkroom",
                "--exclude-table=darkroom.*_[0-9]{8}",
                "--exclude-table=darkroom.lane_*",
                "--dbname=\(url)",
            ]
        ).runSuccessfully()
        return normalised(output.standardOutput)
    }

    /// The same without functions: the types, tables, constraints, indexes and triggers, which later table files scatter.
    package static func tables(of url: String) async throws -> String {
        try await of(url).split(separator: "\n\n").filter {
            !$0.hasPrefix("CREATE FUNCTION") && !$0.hasPrefix("COMMENT ON FUNCTION")
        }.joined(separator: "\n\n") + "\n"
    }

    static func normalised(_ dump: String) -> String {
        var lines: [Substring] = []
        var bodyEnd: Substring?
        for line in dump.split(separator: "\n", omittingEmptySubsequences: false) {
            if let end = bodyEnd {
                if line.hasSuffix("\(end);") { bodyEnd = nil }
                continue
            }
            let isNoise =
                line.hasPrefix("--") || line.hasPrefix("SET ")
                || line.hasPrefix("SELECT pg_catalog.set_config")
                || line.hasPrefix("\\") || (line.isEmpty && lines.last?.isEmpty != false)
            if isNoise { continue }
            if let start = line.firstMatch(of: #/ AS (\$\w*\$)/#) {
                lines.append("\(line[..<start.range.lowerBound]) AS …;")
                if !line.hasSuffix("\(start.1);") || line[start.range.upperBound...].isEmpty {
                    bodyEnd = start.1
                }
            } else {
                // Since PostgreSQL 18, these have names.
                lines.append(line.replacing(#/ CONSTRAINT \w+_not_null NOT NULL/#, with: " NOT NULL"))
            }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }
}
