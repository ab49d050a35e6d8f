import DarkroomClient
import Postgres
import Synchronization

/// Which pictures may be shown, asked of the database once in two seconds for each.
final class VisiblePictures: Sendable {
    struct Position: Hashable, Sendable {
        let latitude: Double
        let longitude: Double
    }

    /// Who may see a picture.
    enum Audience: Sendable { case everyone, theReader, nobody }

    private struct Question: Hashable {
        let key: String
        var reader: Position?
        var person: String?
    }

    private static let lifetime = Duration.seconds(2)
    /// About 2 MB.
    private static let most = 10_000

    private let client: DarkroomClient
    private let known = Mutex<[Question: (mayShow: Bool, until: ContinuousClock.Instant)]>([:])

    init(_ client: DarkroomClient) {
        self.client = client
    }

    /// - Parameters:
    ///   - reader: where the reader is, if they say it.
    ///   - person: who the reader is, if they are signed in.
    func audience(of key: String, _ reader: Position?, _ person: String?) async throws -> Audience {
        let isPublic = try await mayShow(Question(key: key))
        // Even what is public is not for those who have blocked its author.
        guard person != nil || reader != nil && !isPublic else { return isPublic ? .everyone : .nobody }
        guard try await mayShow(Question(key: key, reader: reader, person: person)) else { return .nobody }
        return isPublic ? .everyone : .theReader
    }

    private func mayShow(_ question: Question) async throws -> Bool {
        let now = ContinuousClock.now
        if let entry = known.withLock({ $0[question] }), entry.until > now { return entry.mayShow }
        // On the writing server: a replica may not know yet that a post is hidden.
        let rows = try await client.write(
            """
            select darkroom.may_show(
                \(question.key), \(question.reader?.latitude)::float8, \(question.reader?.longitude)::float8,
                viewer => \(question.person)) as may_show
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
