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

/// Whether a photo or text may be published or is held for review. The rule is `darkroom.suspicion_of`.
package enum Screening: Sendable, Equatable {
    case clear
    case held(Suspicion)
    /// The photo is on a list whose photos are refused.
    case refused(ListMatch)

    package enum Suspicion: Sendable, Equatable {
        /// The number of the uploader's posts that were recently removed.
        case uploaderRecord(removals: Int)
        case lookAlike(LookAlike)
        case listed(ListMatch)
        /// Where a person looks at all posts first.
        case everyUpload

        /// The value of `darkroom.moderation_decisions.cause`.
        package var cause: String {
            switch self {
            case .uploaderRecord: "uploader_record"
            case .lookAlike: "look_alike"
            case .listed: "listed_hash"
            case .everyUpload: "every_upload"
            }
        }
    }
}
