/// What `darkroom serve` accepts of uploads.
package struct UploadLimits: Sendable {
    /// Bytes of a photo, at most.
    package var bytes: Int64 = 64 * 1024 * 1024
    /// The directory for uploads that may be resumed; nil to offer none. All servers behind one address share it.
    package var directory: String?
    /// After how many seconds an unfinished upload is removed.
    package var lifetime = 24 * 3600
    /// Unfinished uploads of one person, at most.
    package var unfinished = 20
    /// How many photos of the largest size the unfinished uploads of one person may announce together.
    package var unfinishedPhotos: Int64 = 10
    /// While the oldest job has waited for longer, uploads are refused for a while; in seconds. Nil for no limit.
    package var longestWait: Double?

    package init() {}
}
