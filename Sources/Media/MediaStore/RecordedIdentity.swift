/// What the database says of the store.
package enum RecordedIdentity: Hashable, Sendable {
    case identity(String, move: StoreMove? = nil)
    /// No store was ever used; the next one may have this identity.
    case none(proposal: String)

    package var identity: String? { if case .identity(let identity, _) = self { identity } else { nil } }

    package var move: StoreMove? { if case .identity(_, let move) = self { move } else { nil } }

    /// - Parameters:
    ///   - identity: and the others: as the function `media_identity` returns them.
    package init(identity: String?, proposal: String, next: String?, movedFrom: String?, movedTo: String?) {
        guard let identity else {
            self = .none(proposal: proposal)
            return
        }
        let stage: StoreMove.Stage? =
            next.map { .underWay(next: $0) } ?? movedFrom.map { .finished(from: $0) }
        self = .identity(identity, move: stage.map { StoreMove(stage: $0, location: movedTo ?? "") })
    }

    /// Whether both say the same of the store; proposals differ each time.
    func isSame(as other: RecordedIdentity) -> Bool { identity == other.identity && move == other.move }
}

/// The move of the store to another place.
package struct StoreMove: Hashable, Sendable {
    package enum Stage: Hashable, Sendable {
        /// Files are in both stores; the other one has this identity.
        case underWay(next: String)
        /// The recorded store is the new one; the one before had this identity.
        case finished(from: String)
    }

    package let stage: Stage
    /// Of the new store, for people.
    package let location: String

    package init(stage: Stage, location: String) {
        self.stage = stage
        self.location = location
    }

    /// The identity of the store into which files are copied now.
    package var next: String? { if case .underWay(let next) = stage { next } else { nil } }

    /// What to tell a process that has only one of the two stores.
    var advice: String {
        switch stage {
        case .underWay(let next):
            "the media store is being moved to \(location) (\(next)): set DARKROOM_MEDIA_NEXT to that place, and "
                + "DARKROOM_MEDIA to the present one"
        case .finished: "the media store was moved: set DARKROOM_MEDIA to \(location)"
        }
    }
}
