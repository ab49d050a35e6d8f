import DarkroomClient
import Postgres
import Synchronization

/// Which pictures may be shown, asked of the database once in two seconds for each.
final class VisiblePictures: Sendable {
    struct Position: Hashable, Sendable {
        let latitude: Double
        let longitude: Double
    }

    private struct Question: Hashable {
        let key: String
        let reader: Position?
    }

    private static let lifetime = Duration.seconds(2)
    /// About 2 MB.
    private static let most = 10_000

    private let client: DarkroomClient
    private let radius: Double?
    private let known = Mutex<[Question: (mayShow: Bool, until: ContinuousClock.Instant)]>([:])

    /// - Parameter radius: how near a reader must be to a post, in metres; nil for anywhere.
    init(_ client: DarkroomClient, radius: Double?) {
        self.client = client
        self.radius = radius
    }

    /// - Parameter reader: where the reader is; it does not matter unless there is a radius.
    func mayShow(_ key: String, to reader: Position?) async throws -> Bool {
        let reader = radius == nil ? nil : reader
        guard radius == nil || reader != nil else { return false }
        let question = Question(key: key, reader: reader)
        let now = ContinuousClock.now
        if let entry = known.withLock({ $0[question] }), entry.until > now { return entry.mayShow }
        // On the writing server: a replica may not know yet that a post is hidden.
        let rows = try await client.write(
            """
            select darkroom.may_show(\(key), \(reader?.latitude)::float8, \(reader?.longitude)::float8, \(radius)::float8) as may_show
            """)
        let mayShow = try rows.first?.decode("may_show") ?? false
        known.withLock { known in
            if known.count >= Self.most { known = known.filter { $0.value.until > now } }
            if known.count >= Self.most { known = [:] }
            known[question] = (mayShow, now + Self.lifetime)
        }
        return mayShow
    }
}
