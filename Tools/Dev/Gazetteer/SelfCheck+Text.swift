import Arguments
import Gazetteer
import GazetteerVerification

extension SelfCheck {
    var table: TextTable {
        var table = TextTable(columns: [
            TextTable.Column("of"), TextTable.Column("all", .right), TextTable.Column("wrong", .right),
            TextTable.Column("explained", .right), TextTable.Column("what is wrong"),
        ])
        for (name, count, question, what) in [
            ("places", places, Miss.Question.place, "another place, more than 2 km away"),
            ("", places, .country, "another country"), ("", places, .division, "another division"),
            ("cities above 100,000", cities, .city, "neither the city nor the one it is part of"),
            ("capitals", capitals, .capital, "neither the capital nor the city it is part of"),
        ] {
            let misses = misses(question)
            let explained = misses.count { $0.reason != .unexplained }
            table.add([name, "\(count)", "\(misses.count)", "\(explained)", what])
        }
        table.add(["divisions", "\(divisions)", "\(unreached.count)", "", "no point gets it"])
        for around in surroundings {
            let explained = around.abroad + around.nearerToOthers
            table.add([
                "points \(around.metres / 1_000) km around", "\(around.points)", "\(explained + around.lost)",
                "\(explained)",
                "neither the place nor the city it is part of; explained if another place or a border is nearer",
            ])
        }
        return table
    }

    /// One line for each miss, then for each city that is part of another, for each division that no point gets, and for
    /// each place that loses its name around its point.
    var lines: [String] {
        misses.map(\.text)
            + parts.map { part in
                line(["part of", "\(part.place.place.geonameid)", part.place.label, part.city.name])
            }
            + unreached.map { division, places, people in
                line(["unreached", division.code, division.name, "\(places) places", "\(people) people"])
            }
            + surroundings.flatMap { around in
                around.losses.map { loss in
                    line([
                        "around", "\(around.metres / 1_000) km", "\(loss.place.geonameid)", loss.place.name,
                        "\(loss.place.population) people", "\(loss.directions) directions",
                        loss.city?.name ?? "nothing",
                    ])
                }
            }
    }
}

private func line(_ fields: [String]) -> String {
    fields.map { Terminal.printable($0) }.joined(separator: "\t")
}

extension SelfCheck.Named {
    fileprivate var label: String { [place.name, admin1?.name].compactMap { $0 }.joined(separator: ", ") }
}

extension SelfCheck.Miss {
    fileprivate var text: String {
        let distance = metres.map { "\(($0 / 100).rounded() / 10) km" } ?? "-"
        return line([
            question.rawValue, "\(place.place.geonameid)", "\(place.label), \(country?.code ?? "-")",
            "gets \(answer)",
            distance, reason.rawValue,
        ])
    }
}
