import Arguments
import Gazetteer
import GazetteerVerification

extension ForwardScore {
    var table: TextTable {
        var table = TextTable(columns: [
            TextTable.Column("class"), TextTable.Column("right", .right), TextTable.Column("unsure", .right),
            TextTable.Column("of", .right), TextTable.Column("right first", .right),
        ])
        for (name, tally) in groups.sorted(by: { $0.key < $1.key }) + [("all", total)] {
            let percent = tally.percent.map { "\(($0 * 10).rounded(.down) / 10) %" } ?? "-"
            table.add([
                name.isEmpty ? "(none)" : name, "\(tally.right)", "\(tally.unsure)", "\(tally.all)", percent,
            ])
        }
        return table
    }

    /// One line per class, one for all, and one per miss.
    var json: [JSON] {
        func line(_ name: String, _ value: String, _ tally: Tally) -> JSON {
            .object([
                (name, .string(value)), ("right", .integer(Int64(tally.right))),
                ("unsure", .integer(Int64(tally.unsure))), ("all", .integer(Int64(tally.all))),
            ])
        }
        return groups.sorted { $0.key < $1.key }.map { line("class", $0.key, $0.value) }
            + [line("total", "all", total)] + misses.map(\.json)
    }
}

extension ForwardScore.Miss {
    var json: JSON {
        .object([
            ("miss", .string(verdict == .unsure ? "unsure" : "wrong")),
            ("line", .integer(Int64(question.line))),
            ("text", .string(question.text)), ("answered", .string(answered)),
            ("expected", .string(question.expected.text)), ("class", .string(question.group)),
        ])
    }

    var text: String {
        [
            "line \(question.line)", verdict == .unsure ? "unsure" : "wrong", question.text,
            "\(answered), expected \(question.expected.text)", question.group,
        ].map { Terminal.printable($0) }.joined(separator: "\t")
    }

    private var answered: String {
        let matches = answer.matches.prefix(3).map { match in
            (match.place.map { "\($0.geonameid) " } ?? "\(match.kind.rawValue) ") + match.label
        }
        return ([answer.name] + matches).joined(separator: "; ")
    }
}

extension ForwardQuestion.Expected {
    fileprivate var text: String {
        switch self {
        case .place(let ids): ids.map(String.init).joined(separator: " or ")
        case .readAs(let ids): ids.map(String.init).joined(separator: " or ") + ", read in part"
        case .point(let point): "\(point.latitude),\(point.longitude)"
        case .badCoordinates: "no point"
        case .admin1(let code, _), .country(let code, _): code
        case .ambiguous: "ambiguous"
        case .none: "no match"
        }
    }
}
