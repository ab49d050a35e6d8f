/// What people report and moderators decide on: a post, or a comment below it.
package struct ModerationSubject: Sendable, Hashable {
    package let post: Int64
    /// 0 for the post itself.
    package let comment: Int64

    package init(post: Int64, comment: Int64) {
        self.post = post
        self.comment = comment
    }

    /// `post` or `comment`.
    package var what: String { comment > 0 ? "comment" : "post" }

    package static func post(_ id: Int64) -> ModerationSubject { ModerationSubject(post: id, comment: 0) }
}
