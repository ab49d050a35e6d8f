import Arguments
import CommandSupport
import Gazetteer

extension GazetteerCommand {
    static let suggest = Command(
        "suggest", "Suggest places for a text that is still being typed.",
        discussion: """
            The last word of TEXT may be unfinished, and one or two letters may be wrong. What follows a comma says where \
            the place lies, and may be unfinished too. Prints the suggestions, the likeliest first: names that are equal to \
            TEXT come before names that begin with it, and misspelt names come last; among these, large and near places \
            come first. A line is the place, its coordinates, its level (place, city, division or country), how it matches \
            (exact, beginning or misspelt) and, if another name of it matches, that name. Exits with 1 if there is no \
            suggestion.
            """,
        options: [
            .value("near", "LAT,LON", "put places near this position of the person first, in degrees"),
            .value(
                "country", "CODE",
                "put places in the person's country first, ISO 3166-1 alpha-2, such as US"),
            .value(
                "limit", "N", "print at most N suggestions, 1 to \(Gazetteer.mostSuggestions)", default: "10"),
            Settings.json, Settings.gazetteer,
        ],
        positionals: [.restRequired("TEXT", "what the person has typed so far")],
        examples: [
            Example("darkroom gazetteer suggest san fr", "begins with San Francisco"),
            Example("darkroom gazetteer suggest Springfield, il", "finds the one in Illinois"),
            Example("darkroom gazetteer suggest --near 48.2,16.4 vien", "finds Wien by its English name"),
            Example(
                "darkroom gazetteer suggest --json --limit 3 --country DE munc | jq -r '.suggestions[].label'",
                "prints only the labels"),
        ]
    ) { arguments in
        let near = try arguments.string("near").map { try coordinate($0) }
        let limit = try arguments.int("limit", in: 1...Gazetteer.mostSuggestions) ?? 10
        let gazetteer = try Settings.openGazetteer(arguments)
        let country = try knownCountry(arguments, gazetteer)
        let text = arguments.strings("TEXT").joined(separator: " ")
        let suggestions = gazetteer.suggest(text, near: near, country: country, limit: limit)
        if arguments.flag("json") {
            Output.line(
                JSON.object([
                    ("text", .string(text)), ("suggestions", .array(suggestions.map(\.json))),
                ]).line)
        } else {
            for suggestion in suggestions { Output.line(suggestion.text) }
            if suggestions.isEmpty { Output.note("No name begins with “\(text)”, or is like it.") }
        }
        if suggestions.isEmpty { throw ExitCode(1) }
    }

    /// The value of --country.
    static func knownCountry(_ arguments: ParsedArguments, _ gazetteer: Gazetteer) throws -> String? {
        guard let country = arguments.string("country") else { return nil }
        guard gazetteer.hasCountry(country) else {
            throw UsageError(
                "“\(country)” is not a country's code; write two letters of ISO 3166-1, such as US")
        }
        return country
    }
}

extension PlaceSuggestion {
    /// Division and country have the form that they have in the results of `gazetteer forward`.
    var json: JSON {
        .object([
            ("geonameid", JSON.optional(geonameid) { .integer(Int64($0)) }), ("name", .string(name)),
            ("matched_name", .string(matchedName)), ("match", .string(match.rawValue)),
            ("level", .string(level.rawValue)), ("division", JSON.optional(division, \.json)),
            ("country", JSON.optional(country, \.json)),
            ("latitude", .number(coordinate.latitude)), ("longitude", .number(coordinate.longitude)),
            ("population", .integer(Int64(population))), ("label", .string(label)),
        ])
    }

    var text: String {
        let place =
            "\(label)\t\(coordinate.latitude)\t\(coordinate.longitude)\t\(level.rawValue)\t\(match.rawValue)"
        return matchedName == name ? place : "\(place)\t\(matchedName)"
    }
}
