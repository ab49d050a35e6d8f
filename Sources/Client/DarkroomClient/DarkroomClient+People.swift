public import FoundationEssentials
import Postgres

/// Somebody whom readers know by a handle.
public struct KnownPerson: Sendable, Hashable {
    public let authorHandle: String
    /// Nil without a name.
    public let displayName: String?
    /// Whether the viewer has blocked the person.
    public let isBlocked: Bool
}

/// That a moderator keeps a person from uploading, commenting, voting and reporting.
public struct PersonBar: Sendable, Hashable {
    /// Nil for good.
    public let endsAt: Date?
    public let reason: String
    /// A sentence for the person.
    public let message: String
}

/// Statistics about the visible posts of one uploader.
public struct UploaderStatistics: Sendable, Hashable {
    public let posts: Int
    public let likes: Int
    public let dislikes: Int
    /// 0 to 1; nil without votes.
    public let shareOfLikes: Double?
    public let comments: Int
    public let views: Int64
}

extension DarkroomClient {
    /// Statistics about the visible posts of one uploader; all zeros for an uploader without posts.
    ///
    /// - Parameter withAnonymous: whether anonymous posts count. Show that to the uploader alone.
    public func statistics(
        ofUploader uploader: String, withAnonymous: Bool = false
    ) async throws -> UploaderStatistics {
        let found = try await rows(
            """
            select posts, likes, dislikes, share_of_likes, comments, views
            from darkroom.uploader_statistics(\(uploader), \(withAnonymous))
            """
        ) { row in
            UploaderStatistics(
                posts: try row.decode("posts"), likes: try row.decode("likes"),
                dislikes: try row.decode("dislikes"), shareOfLikes: try row.decode("share_of_likes"),
                comments: try row.decode("comments"), views: try row.decode("views"))
        }
        return found[0]
    }

    /// What ``setDisplayName(of:to:)`` would refuse, before the name is chosen; nothing if it is fine.
    public func checkDisplayName(_ name: String?, of person: String) async throws -> [UploadObjection] {
        try await rows(
            "select * from darkroom.check_display_name(\(person), \(name))", UploadObjection.init)
    }

    /// Sets the name that feeds show for a person.
    ///
    /// - Parameter name: 1 to 100 characters without control characters; nil removes the name.
    /// - Throws: ``DarkroomError`` with `conflict` if another person has the name, or gave it up a short while ago, and names are
    ///   unique; `invalidArgument` if the name is not allowed.
    public func setDisplayName(of person: String, to name: String?) async throws {
        _ = try await rows("select darkroom.set_display_name(\(person), \(name))") { _ in () }
    }

    /// The names of the people whom readers know by these handles, in their order.
    ///
    /// - Parameter handles: `authorHandle` of posts and comments, at most 100. Those of anonymous authors are left out.
    public func people(
        withHandles handles: [String], viewer: String? = nil
    ) async throws -> [KnownPerson] {
        try await rows(
            "select * from darkroom.people_by_handle(\(handles)::text[], \(viewer))", from: .reader
        ) { row in
            KnownPerson(
                authorHandle: try row.decode("author_handle"), displayName: try row.decode("display_name"),
                isBlocked: try row.decode("is_blocked"))
        }
    }

    /// Why a person may not upload, comment, vote and report now, and until when. Nil for somebody who is not barred.
    public func bar(of person: String) async throws -> PersonBar? {
        try await rows("select ends_at, reason, message from darkroom.bar_of(\(person))") { row in
            PersonBar(
                endsAt: try row.decode("ends_at"), reason: try row.decode("reason"),
                message: try row.decode("message"))
        }.first
    }

    /// Orders the erasure of all data about a person. It cannot be undone.
    ///
    /// - Parameter requester: who asks for it; kept with the order.
    /// - Returns: the order's number. If an order is already open, its number.
    /// - Throws: ``DarkroomError`` with `invalidArgument` for an invalid person identifier.
    @discardableResult
    public func erase(person: String, requestedBy requester: String? = nil) async throws -> Int64 {
        try await value("select darkroom.erase_person(\(person), \(requester)) as value")
    }
}
