/// A removed post whose photo another one resembles.
package struct LookAlike: Sendable, Equatable {
    package let post: Int64
    /// In how many of 64 bits their perceptual hashes differ.
    package let distance: Int

    package init(post: Int64, distance: Int) {
        self.post = post
        self.distance = distance
    }
}

/// Whether a photo may be published, or is held for review.
package enum Screening: Sendable, Equatable {
    case clear
    case held(Suspicion)

    package enum Suspicion: Sendable, Equatable {
        /// So many posts of the uploader were removed lately.
        case uploaderRecord(removals: Int)
        case lookAlike(LookAlike)

        /// Raw text of `darkroom.moderation_decisions.cause`.
        package var cause: String {
            switch self {
            case .uploaderRecord: "uploader_record"
            case .lookAlike: "look_alike"
            }
        }

        /// From 0 to 9, as ``ReportGround/severity``.
        package var severity: Int {
            switch self {
            case .uploaderRecord: 3
            case .lookAlike: 4
            }
        }
    }

    /// What is known of a photo and its uploader before it is published.
    package struct Facts: Sendable, Equatable {
        /// Posts of the uploader removed within `removalsWithin`, and not restored.
        package var removals: Int
        /// The removed post that the photo resembles most, within `lookAlikeDistance`.
        package var nearest: LookAlike?

        package init(removals: Int, nearest: LookAlike?) {
            self.removals = removals
            self.nearest = nearest
        }
    }

    /// The rule: a photo like a removed one is held, and any of an uploader with a record of removals.
    package static func of(_ facts: Facts, by policy: ModerationPolicy) -> Screening {
        if let nearest = facts.nearest, nearest.distance <= policy.lookAlikeDistance {
            return .held(.lookAlike(nearest))
        }
        return facts.removals >= policy.removalsToHold
            ? .held(.uploaderRecord(removals: facts.removals)) : .clear
    }
}
