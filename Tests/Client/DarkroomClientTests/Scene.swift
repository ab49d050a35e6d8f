import DarkroomClient
import Glibc
import JobStore
import Postgres
import TestKit
import Testing

/// A database with posts, and the library as an API process uses it: with the login of a role.
struct Scene: Sendable {
    let database: QueueDatabase
    let client: DarkroomClient

    static func with(
        role: InstallationRole = .api, posts: Int = 0, _ body: (Scene) async throws -> Void
    ) async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            try await withTemporaryDirectory { (media: String) async throws -> Void in
                try await database.makeLogins()
                if posts > 0 { try await database.publishPosts(posts) }
                let client = try DarkroomClient(
                    database: try await database.url(as: role), media: media, connections: 2)
                let result: Result<Void, any Error>
                do {
                    try await body(Scene(database: database, client: client))
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                await client.close()
                try result.get()
            }
        }
    }

    /// The items of all pages, read one after the other.
    func all<Item>(
        _ read: (PageCursor?) async throws -> Page<Item>
    ) async throws -> [Item] {
        var items: [Item] = []
        var page = try await read(nil)
        while let next = page.next {
            items += page.items
            // The way an app gets it back from the phone that it was sent to.
            page = try await read(PageCursor(next.text))
        }
        return items
    }

    func execute(_ query: PostgresQuery) async throws {
        try await database.pool.query(query)
    }

    func number(_ query: PostgresQuery) async throws -> Int {
        let rows = try await database.pool.query(query)
        return try rows[0].decode(rows.columns[0], as: Int.self)
    }
}

/// The error of a call, which must fail.
func failure(
    _ call: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> (code: DarkroomError.Code?, constraint: String?) {
    let error = await #expect(throws: DarkroomError.self, sourceLocation: sourceLocation) {
        try await call()
    }
    return (error?.code, error?.constraint)
}

/// Metres along the sphere, by the law of haversines.
func metres(_ a: (Double, Double), _ b: (Double, Double)) -> Double {
    let degree = Double.pi / 180
    let (north, east) = (sin((b.0 - a.0) * degree / 2), sin((b.1 - a.1) * degree / 2))
    let chord = north * north + cos(a.0 * degree) * cos(b.0 * degree) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
}
