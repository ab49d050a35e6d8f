import Arguments
import CommandSupport
import Gazetteer
import Ingestion
import Posts

/// `darkroom posts correct-place`: a person's word on where a post is.
enum PostsCorrectPlace {
    static let command = Command(
        "correct-place", "Say where a post is, against the gazetteer or the photo.",
        discussion: """
            A name puts the post under that place and leaves its coordinates; coordinates replace those of the photo, \
            and the place is named from them. Either way what is published is no more exact than the post's privacy \
            allows. Who corrected what, when and why is recorded; later relocations leave the post alone.
            """,
        options: [
            .value("place", "TEXT", "the place's name, such as \"Seattle, WA\""),
            .value("latitude", "DEG", "degrees north, -90 to 90; together with --longitude"),
            .value("longitude", "DEG", "degrees east, -180 to 180"),
            .value("note", "TEXT", "the reason, for the record"),
            .value("by", "NAME", "who does it, for the record", environment: "USER"),
            Settings.json, Settings.database, Settings.gazetteer,
        ],
        positionals: [.required("POST", "the post's number")],
        examples: [
            Example("darkroom posts correct-place 3 --place \"Seattle, WA\"", "another name"),
            Example(
                "darkroom posts correct-place 3 --latitude 47.6 --longitude -122.33 --note 'the camera was wrong'",
                "another point"),
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
                throw CommandError(
                    "there is no post \(post): 'darkroom posts list --all' shows those there are")
            }
        }
        if arguments.flag("json") {
            Output.line(JSON.object([("post_id", .integer(post)), ("place", .string(place.text))]).line)
        } else {
            Output.note("Post \(post) is in \(place.text) now.")
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
        default: throw UsageError("say where: either --place, or --latitude and --longitude")
        }
    }
}
