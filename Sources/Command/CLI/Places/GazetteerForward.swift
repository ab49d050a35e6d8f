import Arguments
import CommandSupport
import Gazetteer

extension GazetteerCommand {
    static let forward = Command(
        "forward", "Find the place that a text names.",
        discussion: """
            TEXT is the name of a place, alone or with its division and country, in any order, by name, code or \
            abbreviation. Postal codes are ignored, and small typos are corrected. Exits with 1 if several places match, \
            and lists them, or if none matches, and suggests similar names.
            """,
        options: [
            .value("near", "LAT,LON", "prefer places near this coordinate, in degrees"), Settings.json,
            Settings.gazetteer,
        ],
        positionals: [.restRequired("TEXT", "the place, as a person types it")],
        examples: [
            Example("darkroom gazetteer forward Seattle, WA", "finds one place"),
            Example("darkroom gazetteer forward Springfield", "lists several and exits with 1"),
            Example("darkroom gazetteer forward --near=39.9,-89 Springfield", "finds the nearest one"),
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
