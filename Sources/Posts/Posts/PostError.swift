/// An error of the stores of posts.
package struct PostError: Error, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        case noUpload(Int64)
        case noPost(Int64)
        case noComment(Int64)
        case noDecision(Int64)
        /// This release does not know the value.
        case unknownState(String)
        case unknownReason(String)
        case unknownDecision(String)
        case noPolicy
    }

    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }

    package var description: String {
        switch code {
        case .noUpload(let id): "there is no upload \(id)"
        case .noPost(let id): "there is no post \(id)"
        case .noComment(let id): "there is no comment \(id)"
        case .noDecision(let id):
            "there is no decision \(id): 'darkroom review show POST' lists the decisions on a post"
        case .unknownState(let state): "this release does not know the post state \(state)"
        case .unknownReason(let reason): "this release does not know the report reason \(reason)"
        case .unknownDecision(let decision): "this release does not know the decision \(decision)"
        case .noPolicy: "there is no moderation policy: insert a row into darkroom.moderation_policies"
        }
    }
}
