import Arguments
import CommandSupport
import Gazetteer

extension GazetteerCommand {
    static let forward = Command(
        "forward", "Find the place that a text names.",
        discussion: """
            TEXT is the name of a place, division or country, alone or with the regions that it lies in, in any order, by \
            name, code or abbreviation; or coordinates in the usual notations. Postal codes are ignored, small typos are \
            corrected, and an address or landmark with its city is read as the city. Prints the name, the coordinates \
            and the precision: country, division, city, place or point. Exits with 1 if several places match, and lists \
            them, or if none matches, and suggests similar names.
            """,
        options: [
            .value("near", "LAT,LON", "decide between places by this position of the person, in degrees"),
            .value("country", "CODE", "decide by the person's country, ISO 3166-1 alpha-2, such as US"),
            Settings.json, Settings.gazetteer,
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
        let country = try knownCountry(arguments, gazetteer)
        let text = arguments.strings("TEXT").joined(separator: " ")
        let answer = gazetteer.forward(text, near: near, country: country)
        if arguments.flag("json") {
            Output.line(answer.json(of: text).line)
        } else {
            for (match, label) in zip(answer.matches, PlaceMatch.labels(answer.matches)) {
                Output.line(match.text(label))
            }
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
