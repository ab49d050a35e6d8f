// Publishes a draft: an app's own driver, here libpq, enqueues the photo in the transaction that writes the app's own table.
//
//     Drafts postgresql://localhost/app /srv/darkroom/media draft.jpg commit
import CLibPQ
import DarkroomClient
import Glibc

@main
struct Drafts {
    static func main() async throws {
        let (database, media) = (CommandLine.arguments[1], CommandLine.arguments[2])
        let (photo, ending) = (CommandLine.arguments[3], CommandLine.arguments[4])

        let darkroom = try DarkroomClient(database: database, media: media)
        var details = UploadDetails(uploader: "user-17")
        details.caption = "The ferry at dawn"
        details.coordinates = (47.6026, -122.3393)
        // Storing takes a while, so it comes before the transaction.
        let enqueueing = try darkroom.statement(
            enqueueing: try await darkroom.store(photo: photo), details)
        await darkroom.close()

        let app = try AppDatabase(database)
        try app.run("begin")
        let job = try app.run(enqueueing.sql, enqueueing.parameters)
        try app.run("insert into drafts (photo, job_id) values ($1, $2)", [photo, job])
        // Both become true, or neither.
        try app.run(ending)
        print(job ?? "")
    }
}

/// The app's own connection.
final class AppDatabase {
    private let connection: OpaquePointer

    struct Failure: Error { let message: String }

    init(_ url: String) throws {
        connection = PQconnectdb(url)
        guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    }

    deinit { PQfinish(connection) }

    /// Runs a statement. Returns the first column of its first row.
    @discardableResult
    func run(_ sql: String, _ parameters: [String?] = []) throws -> String? {
        let texts = parameters.map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        let result = PQexecParams(
            connection, sql, Int32(texts.count), nil, texts.map { UnsafePointer($0) }, nil, nil, 0)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else { throw failure }
        return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
    }

    private var failure: Failure { Failure(message: String(cString: PQerrorMessage(connection))) }
}
