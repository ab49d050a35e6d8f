import Digests
package import Imaging
package import JobQueue
import JobStore
package import MediaStore
package import Postgres
package import Posts
import Synchronization

/// The pictures of one attempt, stored in such a way that each file is in a list at all times, whatever dies.
///
/// First it is in the list of unpublished files, from before it exists; then rows refer to it, or it is in the list of
/// files to delete. So an erasure can wait for it, and if this process dies, others delete it.
package final class PictureStore: Sendable {
    /// A rendition that is not stored yet: the renderer's report of it, and its checked, unnamed file.
    package struct Picture: Sendable {
        let format: RenditionEncoding.Format
        let image: RenderedImage
        let file: SealedRendition

        package init(format: RenditionEncoding.Format, image: RenderedImage, file: SealedRendition) {
            self.format = format
            self.image = image
            self.file = file
        }
    }

    private struct State {
        /// Those that are in the list of unpublished files.
        var noted: [PostRendition] = []
        var isGivenUp = false
    }

    private let media: any MediaStore
    private let list: UnpublishedMediaStore
    private let lease: Lease
    private let state = Mutex(State())

    package init(pool: PostgresPool, media: any MediaStore, lease: Lease) {
        self.media = media
        self.lease = lease
        list = UnpublishedMediaStore(pool: pool)
    }

    /// Stores the pictures under the names of their bytes. Then call ``handOver(in:)`` or ``giveUp()``, also after an error.
    package func store(_ pictures: [Picture]) async throws -> [PostRendition] {
        let renditions = pictures.map(\.rendition)
        if let refusal = try await list.note(Self.keys(of: renditions), under: lease) {
            throw refusal.error(lease)
        }
        state.withLock { $0.noted = renditions }
        // An erasure may have asked this attempt to stop, and wait for it.
        try Task.checkCancellation()
        // In a separate task, because a cancelled one would not wait for the calls that are under way.
        try await Task { try await link(pictures) }.value
        return renditions
    }

    /// Hands the stored files over to the rows that the caller's transaction has written.
    package func handOver(in transaction: PostgresConnection) async throws {
        let renditions = state.withLock(\.noted)
        guard !renditions.isEmpty else { return }
        try await Self.requireStored(renditions, in: media, transaction)
        try await UnpublishedMediaStore.forget(lease, in: transaction)
    }

    /// Has the files deleted to which no row refers. If the database is away, they stay in the list.
    package func giveUp() async {
        guard
            state.withLock({
                $0.isGivenUp = true
                return !$0.noted.isEmpty
            })
        else { return }
        // In a separate task: this one may have been cancelled.
        await Task { await abandon() }.value
    }

    private func abandon() async {
        try? await list.abandon(Self.keys(of: state.withLock(\.noted)), under: lease)
    }

    /// Links the files concurrently, because each waits for the disk several times.
    private func link(_ pictures: [Picture]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for picture in pictures {
                group.addTask { [self] in
                    do throws(MediaError) {
                        _ = try await media.publishRendition(
                            picture.file, fileExtension: picture.format.fileExtension
                        ) { self.noteLinked() }
                    } catch {
                        throw AttemptError.storeFault(error)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A disk that did not respond may link a file when it thaws, after it was given up.
    private func noteLinked() {
        guard state.withLock(\.isGivenUp) else { return }
        Task { await abandon() }
    }

    private static func keys(of renditions: [PostRendition]) -> [String] {
        Set(renditions.map(\.mediaKey)).sorted()
    }

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

extension PictureStore.Picture {
    fileprivate var rendition: PostRendition {
        PostRendition(
            name: image.name, mediaKey: file.key(fileExtension: format.fileExtension).path,
            sha256: file.sha256.hex, width: image.width, height: image.height, byteCount: file.byteCount,
            format: format.rawValue)
    }
}

extension UnpublishedMediaStore.Refusal {
    fileprivate func error(_ lease: Lease) -> any Error {
        switch self {
        case .leaseLost: QueueError(.leaseLost(lease))
        case .cancelled: AttemptError(.cancelled)
        case .postGone: RerenderHandler.gone
        case .uploadErased: AttemptError.rejected(.uploadErased, "This upload was erased.")
        }
    }
}
