package import Gazetteer
package import Imaging
package import JobQueue
import JobStore
package import MediaStore
package import Postgres
import Posts
package import Telemetry

extension JobKind {
    package static let ingest = JobKind("ingest")
    /// Of a text without a photo.
    package static let ingestText = JobKind("ingest_text")
}

/// Turns an upload into a post.
///
/// The body of ``run(_:trace:)`` shows the steps: open, render, locate, screen, publish. A text without a photo is not
/// rendered, and needs neither the media store nor a renderer.
package struct IngestHandler: JobHandler {
    let pool: PostgresPool
    let media: any MediaStore
    let renderers: RendererPool
    let gazetteers: GazetteerHandle
    let rendering: RenderConfiguration
    let log: Log

    package init(
        pool: PostgresPool, media: any MediaStore, renderers: RendererPool, gazetteers: GazetteerHandle,
        rendering: RenderConfiguration, log: Log
    ) {
        self.pool = pool
        self.media = media
        self.renderers = renderers
        self.gazetteers = gazetteers
        self.rendering = rendering
        self.log = log
    }

    package func run(_ job: ClaimedJob, trace: AttemptTrace) async throws -> Completion {
        trace.enter("open", waitingFor: .store)
        let upload = try await Upload.load(job.subject, from: pool)
        if let objection = upload.objection {
            throw AttemptError.rejected(objection.code, objection.message)
        }
        let (photo, pictures) = try await render(upload, trace: trace)
        trace.enter("locate")
        // Use one index for the whole job, because another may be installed meanwhile.
        let gazetteer = gazetteers.current
        let location = try Location.find(
            coordinates: upload.coordinates, accuracyMetres: upload.accuracyMetres,
            typed: upload.typedPlace, gps: photo?.gps ?? .absent, gazetteer: gazetteer)
        try location.requireAccuracy(upload.mostAccuracyMetres)
        let published = PublishedLocation(
            of: location.coordinate, typed: location.typedPlace.flatMap { gazetteer.answer(for: $0) },
            precision: location.precision,
            privacy: upload.locationPolicy.privacy(atLeast: upload.locationPrivacy),
            minimumPopulation: upload.locationPolicy.minimumPopulation, gazetteer: gazetteer)
        let publish: ([PostRendition]) async throws -> Void = { renditions in
            var post = NewPost(
                upload: upload.id, location: location, published: published,
                policy: upload.locationPolicy, gazetteer: gazetteer.identity,
                time: PostTime.find(uploader: upload.takenAt, camera: photo?.captureTime), photo: photo,
                renditions: renditions, keepsCamera: rendering.keepsCamera)
            if photo != nil { post.renderedWith = rendering.recipe.checksum }
            try await self.publish(post, of: job, trace: trace)
        }
        if photo == nil {
            try await publish([])
        } else {
            trace.enter("store", waitingFor: .storeWriting)
            try await PictureStore(pool: pool, media: media).store(
                pictures, under: job.lease, publish: publish)
        }
        return .committed
    }

    /// Returns nil and no pictures for a text without a photo.
    private func render(
        _ upload: Upload, trace: AttemptTrace
    ) async throws -> (PhotoReport?, [PictureStore.Picture]) {
        guard let original = upload.original else { return (nil, []) }
        let maker = RenditionMaker(media: media, renderers: renderers, recipe: rendering.recipe)
        let file = try await maker.open(original, of: upload.uploader)
        trace.note(matchAt: .originals)
        trace.enter("render", waitingFor: .renderer)
        return try await maker.render(file, trace: trace)
    }

    private func publish(_ post: NewPost, of job: ClaimedJob, trace: AttemptTrace) async throws {
        trace.enter("screen")
        let screening = try await PublishingStore(pool: pool).screen(
            upload: post.upload, perceptualHash: post.perceptualHash, pdq: post.pdq)
        if case .refused(let match) = screening {
            throw try await refusal(of: post.upload, match, job, trace)
        }
        trace.enter("publish")
        let postID = try await publish(post, screening, endingWith: job.lease, trace: trace)
        log.info(
            screening == .clear ? "post.published" : "post.held",
            job.logFields(trace) + [
                "post": .init(postID), "upload": .init(post.upload),
                "place": .init(post.place.place?.name ?? ""),
                "city": .init(post.place.city?.name ?? ""),
                "country": .init(post.place.country?.code ?? ""),
                "location": .init(post.locationSource.rawValue),
            ])
    }

    /// Records for moderators why a photo was refused, and returns what its uploader is told.
    private func refusal(
        of upload: Int64, _ match: ListMatch, _ job: ClaimedJob, _ trace: AttemptTrace
    ) async throws -> AttemptError {
        try await HashListStore(pool: pool).record(refusalOf: upload, match)
        log.info(
            "upload.refused",
            job.logFields(trace) + [
                "upload": .init(upload), "list": .init(match.name), "distance": .init(match.distance),
            ])
        return .rejected(.photoRefused, "This photo cannot be published here.")
    }

    /// Commits the post together with the job's completion, under the lease.
    private func publish(
        _ post: NewPost, _ screening: Screening, endingWith lease: Lease, trace: AttemptTrace
    ) async throws -> Int64 {
        try await pool.withTransaction { transaction in
            let id = try await PublishingStore.publish(post, screening: screening, in: transaction)
            if !post.renditions.isEmpty {
                try await Self.requireStored(post.renditions, in: media, transaction)
                try await UnpublishedMediaStore.forget(lease, in: transaction)
            }
            try await JobStore.end(lease, as: .succeeded, trace: trace, in: transaction)
            return id
        }
    }
}
