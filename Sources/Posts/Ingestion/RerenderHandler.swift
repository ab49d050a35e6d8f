package import Imaging
package import JobQueue
import JobStore
package import MediaStore
package import Postgres
import Posts
package import Telemetry

extension JobKind {
    package static let rerender = JobKind("rerender")
}

/// Renders a post's pictures again from its original with the current recipe, and swaps them in one transaction.
///
/// Leaves a post alone that the recipe has already rendered, so that a repeated order does only the rest.
package struct RerenderHandler: JobHandler {
    private let pool: PostgresPool
    private let maker: RenditionMaker
    private let log: Log

    package init(
        pool: PostgresPool, media: any MediaStore, renderers: RendererPool, rendering: RenderConfiguration,
        log: Log
    ) {
        self.pool = pool
        maker = RenditionMaker(media: media, renderers: renderers, recipe: rendering.recipe)
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("open", waitingFor: .store)
        let checksum = maker.recipe.checksum
        let subject = try await subject(job.subject)
        guard subject.renderedWith != Int64(bitPattern: checksum) else { return .endedByBatch }
        let upload = try await Upload.load(subject.upload, from: pool)
        // A text without a photo has no pictures.
        guard let original = upload.original else { return .endedByBatch }
        let file = try await maker.open(original, of: upload.uploader)
        trace.note(matchAt: .originals)
        trace.enter("render", waitingFor: .renderer)
        let photo = try await maker.render(file, of: upload, trace: trace)
        let pictures = PictureStore(pool: pool, media: maker.media, lease: job.lease)
        do {
            trace.enter("store", waitingFor: .storeWriting)
            let renditions = try await pictures.store(photo.pictures)
            trace.enter("swap")
            try await swap(photo.report, renditions, pictures, job, trace)
        } catch {
            await pictures.giveUp()
            throw error
        }
        log.info("post.rerendered", job.logFields(trace) + ["post": .init(job.subject)])
        return .committed
    }

    /// Commits the new pictures together with the job's completion, under the lease.
    private func swap(
        _ photo: PhotoReport, _ renditions: [PostRendition], _ pictures: PictureStore, _ job: ClaimedJob,
        _ trace: AttemptTrace
    ) async throws {
        try await pool.withTransaction { transaction in
            do {
                try await RerenderingStore.replacePictures(
                    of: job.subject, by: renditions, placeholder: photo.thumbHash,
                    perceptualHash: photo.perceptualHash?.bits, pdq: photo.pdq.map(KnownHash.init),
                    renderedWith: maker.recipe.checksum, in: transaction)
            } catch let error as PostError where error.code == .noPost(job.subject) {
                throw Self.gone
            }
            try await pictures.handOver(in: transaction)
            try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
        }
    }

    private func subject(_ post: Int64) async throws -> RerenderSubject {
        do {
            let subject = try await RerenderingStore(pool: pool).subject(post)
            guard [.published, .held, .hidden].contains(subject.state) else { throw Self.gone }
            return subject
        } catch let error as PostError where error.code == .noPost(post) {
            throw Self.gone
        }
    }

    static var gone: AttemptError {
        .rejected("post_gone", "The post was removed or has expired, or it no longer exists.")
    }
}
