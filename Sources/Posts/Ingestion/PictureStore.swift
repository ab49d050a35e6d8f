import Digests
package import Imaging
package import JobQueue
import JobStore
package import MediaStore
package import Postgres
package import Posts
import Synchronization

/// Stores rendered pictures in such a way that each file is in a list at all times, whatever dies.
///
/// First it is in the list of unpublished files, from before it exists; then rows refer to it, or it is in the list of
/// files to delete. So an erasure can wait for it, and if this process dies, others delete it.
package struct PictureStore: Sendable {
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

    private let media: any MediaStore
    private let list: UnpublishedMediaStore

    package init(pool: PostgresPool, media: any MediaStore) {
        self.media = media
        list = UnpublishedMediaStore(pool: pool)
    }

    /// Stores the pictures under the names of their bytes and publishes them. If that fails, it gives the files up.
    ///
    /// - Parameter publish: writes the renditions and calls ``UnpublishedMediaStore/forget(_:in:)`` in one transaction.
    package func store<Result: Sendable>(
        _ pictures: [Picture], under lease: Lease, publish: ([PostRendition]) async throws -> Result
    ) async throws -> Result {
        let renditions = pictures.map(\.rendition)
        let keys = Set(renditions.map(\.mediaKey)).sorted()
        if let refusal = try await list.note(keys, under: lease) { throw refusal.error(lease) }
        let files = GivenUp { [list] in try? await list.abandon(keys, under: lease) }
        do {
            // An erasure may have asked this attempt to stop, and wait for it.
            try Task.checkCancellation()
            // In a separate task, because a cancelled one would not wait for the calls that are under way.
            try await Task { try await link(pictures, files) }.value
            return try await publish(renditions)
        } catch {
            // In a separate task: this one may have been cancelled. If the database is away, the files stay in the list.
            await Task { await files.giveUp() }.value
            throw error
        }
    }

    /// Links the files concurrently, because each waits for the disk several times.
    private func link(_ pictures: [Picture], _ files: GivenUp) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for picture in pictures {
                group.addTask {
                    do throws(MediaError) {
                        _ = try await media.publishRendition(
                            picture.file, fileExtension: picture.format.fileExtension
                        ) { files.noteLinked() }
                    } catch {
                        throw AttemptError.storeFault(error)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Gives files up, and again if one appears later: a disk that did not respond may link it when it thaws.
private final class GivenUp: Sendable {
    private let isGivenUp = Mutex(false)
    private let retire: @Sendable () async -> Void

    init(retire: @escaping @Sendable () async -> Void) {
        self.retire = retire
    }

    func giveUp() async {
        isGivenUp.withLock { $0 = true }
        await retire()
    }

    func noteLinked() {
        guard isGivenUp.withLock(\.self) else { return }
        Task { await retire() }
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
