import Arguments
import Gazetteer

extension GazetteerCommand {
    static let forward = Command(
        "forward", "Find the place that a text names.",
        discussion: """
            TEXT is a name, alone or with divisions and countries in any order, by name, code or abbreviation. Postal \
            codes and small typos are forgiven. It ends with 1 where several places may be meant, which it lists, and \
            where none is; then it suggests what may be.
            """,
        options: [
            .value("near", "LAT,LON", "prefer places near this coordinate"), Settings.json,
            Settings.gazetteer,
        ],
        positionals: [.restRequired("TEXT", "a place as a person types it")],
        examples: [
            Example("darkroom gazetteer forward Seattle, WA", "one place"),
            Example("darkroom gazetteer forward Springfield", "several; exits with 1"),
            Example("darkroom gazetteer forward --near=39.9,-89 Springfield", "one again"),
        ]
    ) { arguments in
        let near = try arguments.string("near").map { try coordinate($0) }
        let gazetteer = try Settings.openGazetteer(arguments)
        let text = arguments.strings("TEXT").joined(separator: " ")
        let answer = gazetteer.forward(text, near: near)
        if arguments.flag("json") {
            Output.line(answer.json(of: text).line)
        } else {
            for match in answer.matches { Output.line(match.text) }
            if let message = answer.message(of: text) { Output.note(message) }
        }
        guard case .match = answer else { throw ExitCode(1) }
    }

    static func coordinate(_ text: String) throws -> Coordinate {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.drop { $0 == " " })
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            throw UsageError("“\(text)” is not a coordinate; write LAT,LON in degrees, such as 47.6,-122.3")
        }
        return coordinate
    }
}

extension ForwardAnswer {
    /// What the text is, or may be if a suggestion is taken.
    var matches: [PlaceMatch] {
        switch self {
        case .match(let match): [match]
        case .ambiguous(let matches): matches
        case .noMatch: []
        }
    }

    var suggestions: [PlaceMatch] {
        if case .noMatch(let suggestions) = self { suggestions } else { [] }
    }

    func json(of text: String) -> JSON {
        .object([
            ("text", .string(text)), ("result", .string(name)), ("places", .array(matches.map(\.json))),
            ("suggestions", .array(suggestions.map(\.json))),
            ("message", JSON.optional(message(of: text)) { .string($0) }),
        ])
    }

    var name: String {
        switch self {
        case .match: "match"
        case .ambiguous: "ambiguous"
        case .noMatch: "no_match"
        }
    }
}

extension PlaceMatch {
    var json: JSON {
        .object([
            ("geonameid", .integer(Int64(place.geonameid))), ("name", .string(place.name)),
            (
                "admin1",
                JSON.optional(admin1) { .object([("code", .string($0.code)), ("name", .string($0.name))]) }
            ),
            ("country", .object([("code", .string(country.code)), ("name", .string(country.name))])),
            ("lat", .number(place.coordinate.latitude)), ("lon", .number(place.coordinate.longitude)),
            ("population", .integer(Int64(place.population))), ("kind", .string(kindName)),
            ("agreement", .string(qualityName)), ("score", .number((score * 1000).rounded() / 1000)),
        ])
    }

    var text: String {
        "\(label)\t\(place.coordinate.latitude)\t\(place.coordinate.longitude)"
    }

    private var kindName: String {
        switch kind {
        case .place: "place"
        case .admin1: "admin1"
        case .country: "country"
        case .admin2: "admin2"
        }
    }

    private var qualityName: String {
        switch quality {
        case .name: "name"
        case .alternateName: "alternate_name"
        case .corrected: "corrected"
        case .completed: "completed"
        }
    }
}
