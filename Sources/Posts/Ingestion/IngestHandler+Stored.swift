import JobQueue
package import MediaStore
package import Posts

extension IngestHandler {
    /// Makes sure that the files exist, in a transaction that protects them.
    ///
    /// Another post with the same pictures may have been erased since they were stored.
    package static func requireStored(
        _ renditions: [PostRendition], in media: LocalMediaStore
    ) async throws {
        for rendition in renditions {
            guard try await !media.contains(MediaKey(validating: rendition.mediaKey)) else { continue }
            throw AttemptError(
                .notYet(
                    Reason(
                        code: "rendition_erased",
                        message: "The rendition \(rendition.name) was erased together with another post."),
                    delay: .seconds(1)))
        }
    }
}
