/// A removed post with a similar photo.
package struct LookAlike: Sendable, Equatable {
    package let post: Int64
    /// The number of bits, of 64, in which their perceptual hashes differ.
    package let distance: Int

    package init(post: Int64, distance: Int) {
        self.post = post
        self.distance = distance
    }
}

/// Whether a photo may be published or is held for review.
package enum Screening: Sendable, Equatable {
    case clear
    case held(Suspicion)

    package enum Suspicion: Sendable, Equatable {
        /// The number of the uploader's posts that were recently removed.
        case uploaderRecord(removals: Int)
        case lookAlike(LookAlike)

        /// The value of `darkroom.moderation_decisions.cause`.
        package var cause: String {
            switch self {
            case .uploaderRecord: "uploader_record"
            case .lookAlike: "look_alike"
            }
        }

        /// From 0 to 9, like ``ReportGround/severity``.
        package var severity: Int {
            switch self {
            case .uploaderRecord: 3
            case .lookAlike: 4
            }
        }
    }

    /// What is known about a photo and its uploader before publication.
    package struct Facts: Sendable, Equatable {
        /// Posts of the uploader that were removed within `removalsWithin` and not restored.
        package var removals: Int
        /// The removed post with the most similar photo, within `lookAlikeDistance`.
        package var nearest: LookAlike?

        package init(removals: Int, nearest: LookAlike?) {
            self.removals = removals
            self.nearest = nearest
        }
    }

    /// The rule: hold photos that resemble a removed one, and all photos of an uploader with a record of removals.
    package static func of(_ facts: Facts, by policy: ModerationPolicy) -> Screening {
        if let nearest = facts.nearest, nearest.distance <= policy.lookAlikeDistance {
            return .held(.lookAlike(nearest))
        }
        return facts.removals >= policy.removalsToHold
            ? .held(.uploaderRecord(removals: facts.removals)) : .clear
    }
}
