import Arguments
import Gazetteer
import GazetteerVerification

extension TruthScore {
    var table: TextTable {
        var table = TextTable(
            columns: [TextTable.Column("class")]
                + Question.allCases.map { TextTable.Column($0 == .sea ? "at sea" : $0.rawValue, .right) })
        for (name, tallies) in groups.sorted(by: { $0.key < $1.key }) {
            table.add([name.isEmpty ? "(none)" : name] + Question.allCases.map { Self.text(tallies[$0]) })
        }
        table.add(["all"] + Question.allCases.map { Self.text(totals[$0]) })
        return table
    }

    private static func text(_ tally: Tally?) -> String {
        guard let tally, let percent = tally.percent else { return "-" }
        return "\(tally.right) of \(tally.all) (\((percent * 10).rounded(.down) / 10) %)"
    }

    /// One line per class, one for all, and one per miss.
    var json: [JSON] {
        func line(_ name: String, _ value: String, _ tallies: [Question: Tally]) -> JSON {
            let members = Question.allCases.map { question in
                (
                    question.rawValue,
                    JSON.optional(tallies[question]) {
                        .object([("right", .integer(Int64($0.right))), ("all", .integer(Int64($0.all)))])
                    }
                )
            }
            return .object([(name, .string(value))] + members)
        }
        return groups.sorted { $0.key < $1.key }.map { line("class", $0.key, $0.value) }
            + [line("total", "all", totals)] + misses.map(\.json)
    }
}

extension TruthScore.Miss {
    var json: JSON {
        .object([
            ("miss", .string(question.rawValue)), ("line", .integer(Int64(point.line))),
            ("lat", .number(point.coordinate.latitude)), ("lon", .number(point.coordinate.longitude)),
            ("answered", .string(answered)), ("expected", .string(expected)), ("class", .string(point.group)),
            ("note", .string(point.note)),
        ])
    }

    var text: String {
        let subject = question == .sea ? "country" : question.rawValue
        let remarks = [point.group, point.note].filter { !$0.isEmpty }.joined(separator: ": ")
        return [
            "line \(point.line)", "\(point.coordinate.latitude)", "\(point.coordinate.longitude)",
            "\(subject) \(answered.isEmpty ? "none" : answered), expected \(expected)", remarks,
        ].map { Terminal.printable($0) }.joined(separator: "\t")
    }
}
