import Arguments
import Chaos

extension Duration {
    /// `3.2 s`.
    var shortText: String { "\((self / .milliseconds(100)).rounded() / 10) s" }
}

extension GapResult {
    var name: String { "\(victim.rawValue), gap of \(gap.shortText)" }

    var json: JSON {
        .object([
            ("victim", .string(victim.rawValue)), ("gap_s", .number(gap / .seconds(1))),
            ("is_kept", .bool(isKept)), ("jobs", .integer(Int64(jobs))), ("held", .integer(Int64(held))),
            ("finished", .integer(Int64(finished))),
            ("latest_s", latest.map { .number($0 / .seconds(1)) } ?? nil),
            ("stuck", .integer(Int64(stuck))), ("double", .integer(Int64(double))),
            ("overlap", .integer(Int64(overlap))), ("quarantined", .integer(Int64(quarantined))),
            ("failures", .integer(Int64(failures))), ("deaths", .integer(Int64(deaths))),
            ("leases", .integer(Int64(leases))), ("has_stopped", .bool(hasStopped)),
            ("repeats", .integer(Int64(repeats))), ("delay_s", .number(delay / .seconds(1))),
        ])
    }

    private static let figures = [
        "held", "finished", "latest after the gap", "stuck", "double", "overlap", "quarantined", "failures",
        "deaths", "leases left", "not stopped",
    ]

    private static func columns(_ first: String...) -> [TextTable.Column] {
        first.map { TextTable.Column($0) } + figures.map { TextTable.Column($0, .right) }
    }

    private static func figures(of results: [GapResult]) -> [String] {
        func sum(_ figure: (GapResult) -> Int) -> String { String(results.reduce(0) { $0 + figure($1) }) }
        return [
            sum(\.held), sum(\.finished),
            results.contains { $0.latest == nil }
                ? "never" : results.compactMap(\.latest).max()?.shortText ?? "",
            sum(\.stuck), sum(\.double), sum(\.overlap), sum(\.quarantined), sum(\.failures), sum(\.deaths),
            sum(\.leases), sum { $0.hasStopped ? 0 : 1 },
        ]
    }

    static func table(of results: [GapResult]) -> TextTable {
        var table = TextTable(columns: columns("victim", "gap", ""))
        for result in results {
            let remark = result.isVoid ? "void" : result.isKept ? "" : "broken"
            table.add([result.victim.rawValue, result.gap.shortText, remark] + figures(of: [result]))
        }
        return table
    }

    /// One row a victim.
    static func summary(of results: [GapResult]) -> TextTable {
        var table = TextTable(columns: columns("victim", "gaps", "broken"))
        for victim in GapVictim.allCases {
            let its = results.filter { $0.victim == victim }
            guard !its.isEmpty else { continue }
            table.add([victim.rawValue, "\(its.count)", "\(its.count { !$0.isKept })"] + figures(of: its))
        }
        return table
    }
}
