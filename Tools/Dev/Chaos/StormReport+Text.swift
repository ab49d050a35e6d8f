import Arguments
import Chaos

extension StormReport {
    /// One row a kind of fault: how often, and how long until work went on.
    var table: TextTable {
        var table = TextTable(
            columns: [
                TextTable.Column("fault"), TextTable.Column("times", .right),
                TextTable.Column("no victim", .right),
                TextTable.Column("next end p50", .right), TextTable.Column("p99", .right),
                TextTable.Column("worst", .right), TextTable.Column("all ended p50", .right),
                TextTable.Column("p99", .right), TextTable.Column("worst", .right),
            ])
        for fault in StormFault.allCases {
            let its = happenings.filter { $0.scenario.fault == fault }
            guard !its.isEmpty else { continue }
            table.add(
                [fault.rawValue, "\(its.count(where: \.hit))", "\(its.count { !$0.hit })"]
                    + Self.quantiles(its.compactMap(\.first)) + Self.quantiles(its.compactMap(\.all)))
        }
        return table
    }

    private static func quantiles(_ values: [Duration]) -> [String] {
        [0.5, 0.99, 1].map { quantile(values, $0)?.shortText ?? "" }
    }

    /// One row a fault, as it happened.
    var happeningsTable: TextTable {
        var table = TextTable(
            columns: [
                TextTable.Column("", .right), TextTable.Column("fault"), TextTable.Column("start", .right),
                TextTable.Column("length", .right), TextTable.Column("next end", .right),
                TextTable.Column("all ended", .right),
            ])
        for happening in happenings {
            let scenario = happening.scenario
            table.add([
                "\(scenario.number)", scenario.fault.rawValue + (happening.hit ? "" : " (no victim)"),
                scenario.start.shortText, scenario.length.shortText, happening.first?.shortText ?? "",
                happening.all?.shortText ?? "",
            ])
        }
        return table
    }

    /// What became of the uploads, and what was wrong.
    var sentences: [String] {
        let sums = verdict
        var sentences = [
            "Uploads: \(sums.committed) committed, \(sums.rolledBack) never committed; of \(sums.unknownCommitted + sums.unknownRolledBack) "
                + "the reply to the commit was lost, and \(sums.unknownCommitted) of those were committed.",
            "Ends: \(sums.published) published with all files, \(sums.rejected) rejected for their own reason.",
            "Workers were started \(starts) times. Counted against jobs: \(failures) failures, \(crashes) crashes, \(deaths) deaths.",
            "The queue was empty \(drained.shortText) after the last fault.",
        ]
        if let swept {
            sentences.append("A sweep removed \(swept) files that nothing referred to.")
        }
        if sums.goneWithPrimary > 0 {
            sentences.append(
                "\(sums.goneWithPrimary) uploads were committed on a lost primary alone, as asynchronous replication allows."
            )
        }
        for (fault, why) in leftOut { sentences.append("Left out: \(fault.rawValue), because \(why).") }
        sentences += sums.wrongs.prefix(50).map { "WRONG: \($0)" }
        sentences.append(
            sums.isKept
                ? "Nothing was lost, doubled, stuck or wrongly rejected."
                : "\(sums.wrongs.count) things were wrong.")
        return sentences
    }
}
