import JobQueue
import Postgres

extension ErasureStore {
    /// Whether a post that is to be erased can be erased now.
    ///
    /// - Returns: false if a review of the post is open. Its end queues the erasure again.
    /// - Throws: ``AttemptError`` with `notYet` if reports on it must be weighed first, or somebody holds the post.
    package func isDue(_ post: Int64) async throws -> Bool {
        let rows = try await pool.query("select darkroom.erasure_step(\(post)) as step")
        switch try rows[0].decode("step", as: String.self) {
        case "erase": return true
        case "leave": return false
        case "weigh": throw Self.notYet("reports_unweighed", "Reports on the post are weighed first.")
        default: throw Self.notYet("post_held", "Another transaction holds the post.")
        }
    }

    /// Queues the erasure of posts that their uploaders deleted long ago, and on which nobody has decided since, at most
    /// `limit`. Returns how many.
    package func eraseUndecided(atMost limit: Int) async throws -> Int {
        let rows = try await pool.query("select darkroom.erase_undecided(\(limit)) as posts")
        return try rows[0].decode("posts", as: Int.self)
    }

    private static func notYet(_ code: String, _ message: String) -> AttemptError {
        AttemptError(.notYet(Reason(code: code, message: message), delay: .seconds(5)))
    }
}
