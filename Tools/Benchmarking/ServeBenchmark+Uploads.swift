import FoundationEssentials

extension ServeBenchmark {
    /// Uploads different photos of a megabyte, in turn with nginx and with a plain program that writes and flushes files.
    func uploads(_ database: BenchmarkDatabase, in root: String) async throws {
        guard tools.hasWrk(progress) else { return }
        for name in ["nginx", "plain-fsync"] where !tools.measures(name) { progress("\(name): skipped") }
        let connections = options.connections
        let settings = [
            "--folder", root, "--connections", String(connections), "--seconds", String(options.seconds),
        ]
        var ours: [WrkFigures] = []
        var references: [String: [BenchmarkTools.Reference]] = [:]
        for run in 1...options.runs {
            try Task.checkCancellation()
            progress("uploads, run \(run) of \(options.runs)")
            ours.append(
                try await withServer(database, in: root) { api in
                    try await tools.wrk(
                        "uploads.lua", ["post", api.key], to: api.address, connections: connections,
                        seconds: options.seconds
                    ).figures
                })
            try FileManager.default.removeItem(atPath: "\(root)/media/originals")
            for name in ["nginx", "plain-fsync"] {
                if let reference = try await tools.reference(name, settings) {
                    references[name, default: []].append(reference)
                }
            }
        }
        let note = "\(connections) connections; \(Self.times(ours.map { ($0.p50Ms, $0.p99Ms) }))"
        for (name, title, goal, suffix, remark) in [
            ("nginx", "nginx", 0.8, "", "nginx neither hashes nor flushes, and has no database"),
            ("plain-fsync", "plain files", nil, "-over-plain-files", "files without HTTP, hash or database"),
        ] as [(String, String, Double?, String, String)] {
            guard let theirs = references[name] else {
                if suffix.isEmpty {
                    report(
                        BenchmarkLine(
                            "serve-upload", "uploads/s", ours.map(\.rate),
                            note: "\(note); \(tools.absence(of: name))"))
                }
                continue
            }
            let times = Self.times(theirs.map { ($0.detail?.p50Ms ?? 0, $0.detail?.p99Ms ?? 0) })
            report(
                BenchmarkLine(
                    "serve-upload\(suffix)", "uploads/s", zip(ours, theirs).map { ($0.rate, $1.value) },
                    against: title, goal: goal,
                    note: suffix.isEmpty ? "\(note); \(remark): \(times)" : "\(remark): \(times)"))
        }
    }
}
