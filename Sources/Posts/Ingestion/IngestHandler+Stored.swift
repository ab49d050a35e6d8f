import JobQueue
package import MediaStore
package import Posts

extension IngestHandler {
    /// Makes sure that the files are there, in a transaction that holds them.
    ///
    /// Another post of the same pictures may have been erased since they were stored.
    package static func requireStored(
        _ renditions: [PostRendition], in media: LocalMediaStore
    ) async throws {
        for rendition in renditions {
            guard try await !media.contains(MediaKey(validating: rendition.mediaKey)) else { continue }
            throw AttemptError(
                .notYet(
                    Reason(
                        code: "rendition_erased",
                        message: "The rendition \(rendition.name) was erased with another post meanwhile."),
                    delay: .seconds(1)))
        }
    }
}
