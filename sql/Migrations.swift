/// The migrations of `sql/`, carried inside the binary in the order in which they are applied.
package struct Migration: Sendable {
    /// Its number, ascending from 1 without a gap.
    package let version: Int
    /// The file's name without number and extension.
    package let name: String
    package let sql: String
    /// Locks to take first, in the same transaction: in the order in which those who use the tables do, where the text
    /// itself would take them in another. It is no part of the checksum.
    package let locks: String?

    package static let all: [Migration] = [
        Migration(version: 1, name: "queue", bytes: PackageResources.v0001_queue_sql),
        Migration(version: 2, name: "posts", bytes: PackageResources.v0002_posts_sql),
        Migration(version: 3, name: "moderation", bytes: PackageResources.v0003_moderation_sql),
        Migration(version: 4, name: "api", bytes: PackageResources.v0004_api_sql),
        Migration(version: 5, name: "queue_words", bytes: PackageResources.v0005_queue_words_sql),
        Migration(version: 6, name: "queue_lanes", bytes: PackageResources.v0006_queue_lanes_sql),
        Migration(version: 7, name: "queue_claims", bytes: PackageResources.v0007_queue_claims_sql),
        Migration(version: 8, name: "queue_operations", bytes: PackageResources.v0008_queue_operations_sql),
        Migration(version: 9, name: "rendition_formats", bytes: PackageResources.v0009_rendition_formats_sql),
        Migration(version: 10, name: "local_times", bytes: PackageResources.v0010_local_times_sql),
        Migration(version: 11, name: "locations", bytes: PackageResources.v0011_locations_sql),
        Migration(version: 12, name: "review", bytes: PackageResources.v0012_review_sql),
        Migration(version: 13, name: "post_words", bytes: PackageResources.v0013_post_words_sql),
        Migration(version: 14, name: "votes", bytes: PackageResources.v0014_votes_sql),
        Migration(version: 15, name: "feeds", bytes: PackageResources.v0015_feeds_sql),
        Migration(version: 16, name: "readers", bytes: PackageResources.v0016_readers_sql),
        Migration(version: 17, name: "nearby", bytes: PackageResources.v0017_nearby_sql),
        Migration(version: 18, name: "boards_and_map", bytes: PackageResources.v0018_boards_and_map_sql),
        Migration(version: 19, name: "leaving", bytes: PackageResources.v0019_leaving_sql),
        Migration(version: 20, name: "roles", bytes: PackageResources.v0020_roles_sql),
        Migration(version: 21, name: "events", bytes: PackageResources.v0021_events_sql),
        Migration(
            version: 22, name: "posting_policies", bytes: PackageResources.v0022_posting_policies_sql),
        Migration(version: 23, name: "feed_windows", bytes: PackageResources.v0023_feed_windows_sql),
        Migration(version: 24, name: "repairs", bytes: PackageResources.v0024_repairs_sql),
        Migration(version: 25, name: "held_and_words", bytes: PackageResources.v0025_held_and_words_sql),
        Migration(version: 26, name: "last_acts", bytes: PackageResources.v0026_last_acts_sql),
        Migration(
            version: 27, name: "covering_indexes", bytes: PackageResources.v0027_covering_indexes_sql,
            // Readers look into feed and then show what is in posts.
            locks: """
                select pg_advisory_xact_lock(hashtextextended('darkroom.tally_counters', 0)),
                       pg_advisory_xact_lock(hashtextextended('darkroom.tally_map', 0));
                lock table darkroom.posts, darkroom.renditions in share row exclusive mode;
                lock table darkroom.feed, darkroom.ranks in access exclusive mode;
                """),
        Migration(
            version: 28, name: "uploads_in_turn", bytes: PackageResources.v0028_uploads_in_turn_sql),
        Migration(version: 29, name: "near_lists", bytes: PackageResources.v0029_near_lists_sql),
        Migration(version: 30, name: "clean_texts", bytes: PackageResources.v0030_clean_texts_sql),
        Migration(
            version: 31, name: "fair_moderation", bytes: PackageResources.v0031_fair_moderation_sql),
    ]

    private init(version: Int, name: String, bytes: [UInt8], locks: String? = nil) {
        self.version = version
        self.name = name
        self.sql = String(decoding: bytes, as: UTF8.self)
        self.locks = locks
    }
}
