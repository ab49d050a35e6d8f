import Arguments
import CommandSupport
import Gazetteer
import Ingestion
import MediaStore
import Postgres

extension Settings {
    static let media = Option.value(
        "media", "PLACE",
        "media store: a directory, a file:// URL, or s3://BUCKET/PREFIX?… (default: \(home)/media)",
        environment: "DARKROOM_MEDIA")

    static func mediaLocation(_ arguments: ParsedArguments) -> String {
        arguments.string("media").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/media"
    }

    static func mediaStore(_ arguments: ParsedArguments, _ pool: PostgresPool) throws -> any MediaStore {
        try withUsage {
            try MediaLocation.store(at: mediaLocation(arguments), recordedIn: pool)
        }
    }

    /// A place that can be no store is a wrong option, which no restart makes right.
    static func withUsage(_ make: () throws -> any MediaStore) throws -> any MediaStore {
        do {
            return try make()
        } catch let error as MediaError where error.code == .unsupportedLocation {
            throw UsageError("\(error)")
        }
    }

    /// Sees whether the media store responds to writing. A process that writes to a frozen disk cannot end, so
    /// a command that is about to write asks first.
    static func requireResponse(_ arguments: ParsedArguments) async throws {
        try await withUsage {
            try MediaLocation.store(at: mediaLocation(arguments)) { _ in .none(proposal: "") }
        }.requireResponse()
    }

    /// An index that is opened again when another one replaces it.
    static func gazetteerHandle(_ arguments: ParsedArguments) throws -> GazetteerHandle {
        try GazetteerHandle(path: try readableGazetteerPath(arguments))
    }
}
