import Digests
package import JobStore
import Pages
import Postgres
import Tokens

/// What someone who signs in to the console may do.
package enum ConsoleRole: String, CaseIterable, Sendable { case `operator`, moderator }

/// Someone who is signed in.
struct ConsoleSession: Sendable {
    let id: Int64
    let name: String
    let role: ConsoleRole
    /// Whether they may change something.
    let mayAct: Bool
    /// What the cookie holds.
    let secret: String
    /// Whether they signed in within the last minutes, as an erasure requires.
    let isFresh: Bool

    /// What each form of the session carries, so that no other page can send one. Nobody without the cookie can compute it.
    var formToken: String {
        SHA256Digest(authenticating: Array("form".utf8), key: Array(secret.utf8)).hex
    }
}

/// Invitations to the console, and who is signed in. The database has only hashes of the secrets.
package struct ConsoleSessions: Sendable {
    /// A session ends when nothing was asked for so long.
    static let idle = Duration.seconds(3600)
    static let longest = Duration.seconds(12 * 3600)
    /// Within this time after signing in, a person may be erased.
    static let freshness = Duration.seconds(10 * 60)

    private let pool: PostgresPool

    package init(_ store: JobStore) { pool = store.pool }

    /// Makes an invitation, and returns the secret of its link.
    package func invite(
        _ name: String, as role: ConsoleRole, mayAct: Bool, by inviter: String, valid: Duration
    ) async throws -> String {
        let secret = Self.newSecret()
        try await pool.query(
            """
            with old as (delete from darkroom.console_invitations where expires_at < clock_timestamp()),
            ended as (delete from darkroom.console_sessions where \(Self.isOver))
            insert into darkroom.console_invitations (secret_sha256, name, role, may_act, invited_by, expires_at)
            values (\(Self.hash(secret)), \(name), \(role.rawValue), \(mayAct), \(inviter),
                    clock_timestamp() + make_interval(secs => \(valid.inSeconds)))
            """)
        return secret
    }

    /// Uses up an invitation. Nil if there is none with this secret that is still valid.
    func signIn(_ invitation: String) async throws -> ConsoleSession? {
        let secret = Self.newSecret()
        let rows = try await pool.query(
            """
            with used as (
                delete from darkroom.console_invitations where secret_sha256 = \(Self.hash(invitation))
                returning name, role, may_act, expires_at)
            insert into darkroom.console_sessions as s (secret_sha256, name, role, may_act, expires_at)
            select \(Self.hash(secret)), u.name, u.role, u.may_act,
                   clock_timestamp() + make_interval(secs => \(Self.longest.inSeconds))
            from used u where u.expires_at > clock_timestamp()
            returning \(Self.columns)
            """)
        return try rows.first.map { try ConsoleSession($0, secret: secret) }
    }

    /// Makes a session for someone who has signed in in another way.
    func open(_ name: String, as role: ConsoleRole, mayAct: Bool) async throws -> ConsoleSession {
        let secret = Self.newSecret()
        let rows = try await pool.query(
            """
            insert into darkroom.console_sessions as s (secret_sha256, name, role, may_act, expires_at)
            values (\(Self.hash(secret)), \(name), \(role.rawValue), \(mayAct),
                    clock_timestamp() + make_interval(secs => \(Self.longest.inSeconds)))
            returning \(Self.columns)
            """)
        return try ConsoleSession(rows[0], secret: secret)
    }

    /// The session with this secret, if it has not ended.
    func session(_ secret: String) async throws -> ConsoleSession? {
        let rows = try await pool.query(
            """
            select \(Self.columns), s.seen_at < clock_timestamp() - interval '1 minute' as is_stale
            from darkroom.console_sessions s
            where s.secret_sha256 = \(Self.hash(secret)) and not (\(Self.isOver))
            """)
        guard let row = rows.first else { return nil }
        let session = try ConsoleSession(row, secret: secret)
        if try row.decode("is_stale", as: Bool.self) {
            try await pool.query(
                "update darkroom.console_sessions set seen_at = clock_timestamp() where session_id = \(session.id)"
            )
        }
        return session
    }

    func signOut(_ session: ConsoleSession) async throws {
        try await pool.query("delete from darkroom.console_sessions where session_id = \(session.id)")
    }

    private static let columns: PostgresQuery =
        """
        s.session_id, s.name, s.role, s.may_act,
        s.signed_in_at > clock_timestamp() - make_interval(secs => \(freshness.inSeconds)) as is_fresh
        """

    private static let isOver: PostgresQuery =
        """
        expires_at < clock_timestamp() or seen_at < clock_timestamp() - make_interval(secs => \(idle.inSeconds))
        """

    static func newSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private static func hash(_ secret: String) -> [UInt8] { SHA256Digest(hashing: secret.utf8).bytes }
}

extension ConsoleSession {
    fileprivate init(_ row: PostgresRow, secret: String) throws {
        let name = try row.decode("role", as: String.self)
        guard let role = ConsoleRole(rawValue: name) else {
            throw PostgresError(.decoding, "there is no role \(name) in the console")
        }
        self.init(
            id: try row.decode("session_id", as: Int64.self), name: try row.decode("name", as: String.self),
            role: role, mayAct: try row.decode("may_act", as: Bool.self), secret: secret,
            isFresh: try row.decode("is_fresh", as: Bool.self))
    }
}
