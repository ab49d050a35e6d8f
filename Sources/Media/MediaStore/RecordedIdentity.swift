/// What the database says of the store.
package enum RecordedIdentity: Hashable, Sendable {
    case identity(String)
    /// No store was ever used; the next one may have this identity.
    case none(proposal: String)

    package var identity: String? { if case .identity(let identity) = self { identity } else { nil } }

    /// - Parameters: as the function `media_identity` returns them.
    package init(identity: String?, proposal: String) {
        self = identity.map { .identity($0) } ?? .none(proposal: proposal)
    }
}
