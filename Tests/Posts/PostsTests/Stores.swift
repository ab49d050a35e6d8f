import Posts
import TestKit

// For tests of several stores together.
extension QueueDatabase {
    var reading: ReadingStore { ReadingStore(pool: pool) }
    var decisions: DecisionStore { DecisionStore(pool: pool) }
    var reviews: ReviewStore { ReviewStore(pool: pool) }
    var reports: ReportStore { ReportStore(pool: pool) }
    var policies: ModerationPolicyStore { ModerationPolicyStore(pool: pool) }
    var postingPolicies: PostingPolicyStore { PostingPolicyStore(pool: pool) }
    var publishing: PublishingStore { PublishingStore(pool: pool) }
    var hashLists: HashListStore { HashListStore(pool: pool) }
    var erasure: ErasureStore { ErasureStore(pool: pool) }
}
