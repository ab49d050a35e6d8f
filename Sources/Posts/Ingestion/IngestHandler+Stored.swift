import JobQueue
package import MediaStore
package import Postgres
package import Posts

extension IngestHandler {
    /// Makes sure that the files are in the recorded store, in a transaction that protects them.
    ///
    /// Another post with the same pictures may have been erased since they were stored, and another disk may have been
    /// mounted in the place of the store.
    package static func requireStored(
        _ renditions: [PostRendition], in media: any MediaStore, _ transaction: PostgresConnection
    ) async throws {
        do {
            let store = try await media.recorded(in: transaction)
            for rendition in renditions {
                guard try await !store.contains(MediaKey(validating: rendition.mediaKey)) else { continue }
                throw AttemptError(
                    .notYet(
                        Reason(
                            code: "rendition_erased",
                            message: "The rendition \(rendition.name) was erased together with another post."),
                        delay: .seconds(1)))
            }
        } catch let error as MediaError {
            throw AttemptError.storeFault(error)
        }
    }
}
