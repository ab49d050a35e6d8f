import Arguments
import CommandSupport
import Gazetteer
import Ingestion
import MediaStore
import Postgres

extension Settings {
    static let media = Option.value(
        "media", "DIR", "media store: a directory or file:// URL (default: \(home)/media)",
        environment: "DARKROOM_MEDIA")

    static func mediaLocation(_ arguments: ParsedArguments) -> String {
        arguments.string("media").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/media"
    }

    static func mediaStore(_ arguments: ParsedArguments, _ pool: PostgresPool) throws -> LocalMediaStore {
        try LocalMediaStore(location: mediaLocation(arguments), recordedIn: pool)
    }

    /// An index that is opened again when another one replaces it.
    static func gazetteerHandle(_ arguments: ParsedArguments) throws -> GazetteerHandle {
        try GazetteerHandle(path: try readableGazetteerPath(arguments))
    }
}
