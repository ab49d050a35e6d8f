import Arguments
import CommandSupport
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
