import Arguments
import CommandSupport
import Gazetteer
import Ingestion
import Posts

enum PostsCorrectPlace {
    static let command = Command(
        "correct-place", "Correct the place or the coordinates of a post.",
        discussion: """
            --place changes the place, with its city, division and country, and leaves the coordinates; only those of a \
            place that the uploader typed move to the new one. Coordinates replace those of the photo, and the place is \
            named from them. The published location is never more exact than the post's privacy allows. \
            The correction is recorded with your name, the time and the note. 'relocate' skips corrected posts.
            """,
        options: [
            .value("place", "TEXT", "name of the place, such as \"Seattle, WA\""),
            .value("latitude", "DEG", "degrees north, -90 to 90; needs --longitude"),
            .value("longitude", "DEG", "degrees east, -180 to 180; needs --latitude"),
            .value("note", "TEXT", "the reason, for the record"),
            .value("by", "NAME", "your name, for the record", environment: "USER"),
            Settings.json, Settings.database, Settings.gazetteer,
        ],
        positionals: [.required("POST", "the post's number")],
        examples: [
            Example("darkroom posts correct-place 3 --place \"Seattle, WA\"", "changes the name"),
            Example(
                "darkroom posts correct-place 3 --latitude 47.6 --longitude -122.33 --note 'the camera was wrong'",
                "moves the post"),
        ]
    ) { arguments in
        let text = arguments.string("POST") ?? ""
        guard let post = Int64(text) else { throw UsageError("“\(text)” is not a post's number") }
        let correction = PlaceCorrection(
            post: post, statement: try statement(arguments),
            author: arguments.string("by").flatMap { $0.isEmpty ? nil : $0 } ?? Settings.userName,
            note: arguments.string("note"))
        let gazetteer = try Settings.openGazetteer(arguments)
        let place = try await Settings.withPool(arguments) { pool in
            do {
                return try await correction.apply(in: pool, gazetteer: gazetteer)
            } catch let error as PostError where error.code == .noPost(post) {
                throw CommandError("there is no post \(post): 'darkroom posts list --all' shows all posts")
            }
        }
        if arguments.flag("json") {
            Output.line(JSON.object([("post_id", .integer(post)), ("place", .string(place.text))]).line)
        } else {
            Output.note("Post \(post) is now in \(place.text).")
        }
    }

    private static func statement(_ arguments: ParsedArguments) throws -> PlaceCorrection.Statement {
        let latitude = try arguments.double("latitude", in: -90...90)
        let longitude = try arguments.double("longitude", in: -180...180)
        let place = arguments.string("place").flatMap { $0.isEmpty ? nil : $0 }
        switch (place, latitude, longitude) {
        case (let place?, nil, nil): return .place(place)
        case (nil, let latitude?, let longitude?):
            guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { fallthrough }
            return .coordinates(coordinate)
        default: throw UsageError("give either --place, or --latitude and --longitude")
        }
    }
}
