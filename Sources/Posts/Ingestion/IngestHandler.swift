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
/// The body of ``run(_:trace:)`` shows the steps. A text without a photo is not rendered, and needs neither the media store
/// nor a renderer.
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
        let pictures = PictureStore(pool: pool, media: media, lease: job.lease)
        do {
            let (upload, original) = try await open(job, trace)
            let photo = try await render(upload, original, trace)
            let screened = try await screen(upload, photo?.report, job, trace)
            let located = try locate(upload, photo?.report, trace)
            let renditions = try await store(photo, in: pictures, trace)
            let post = assemble(upload, photo?.report, located, renditions)
            try await publish(post, screened, pictures, job, trace)
        } catch {
            await pictures.giveUp()
            throw error
        }
        return .committed
    }

    private var maker: RenditionMaker {
        RenditionMaker(media: media, renderers: renderers, recipe: rendering.recipe)
    }

    /// Reads the upload, and opens the original that it names; nil for a text.
    private func open(_ job: ClaimedJob, _ trace: AttemptTrace) async throws -> (Upload, MediaFile?) {
        trace.enter("open", waitingFor: .store)
        let upload = try await Upload.load(job.subject, from: pool)
        if let objection = upload.objection {
            throw AttemptError.rejected(objection.code, objection.message)
        }
        guard let original = upload.original else { return (upload, nil) }
        let file = try await maker.open(original, of: upload.uploader)
        trace.note(matchAt: .originals)
        return (upload, file)
    }

    private func render(
        _ upload: Upload, _ original: MediaFile?, _ trace: AttemptTrace
    ) async throws -> RenderedPhoto? {
        guard let original else { return nil }
        trace.enter("render", waitingFor: .renderer)
        return try await maker.render(original, of: upload, trace: trace)
    }

    /// Whether the post is published or held. A photo that is refused ends here, before anything of it is stored.
    private func screen(
        _ upload: Upload, _ photo: PhotoReport?, _ job: ClaimedJob, _ trace: AttemptTrace
    ) async throws -> (Screening, lists: HashListStore.Version?) {
        trace.enter("screen")
        // A text is on no list.
        let lists = photo == nil ? nil : try await HashListStore.version(in: pool)
        let screening = try await PublishingStore(pool: pool).screen(
            upload: upload.id, perceptualHash: photo?.perceptualHash?.bits,
            pdq: photo?.pdq.map(KnownHash.init))
        guard case .refused(let match) = screening else { return (screening, lists) }
        try await HashListStore(pool: pool).record(refusalOf: upload.id, match)
        log.info(
            "upload.refused",
            job.logFields(trace) + [
                "upload": .init(upload.id), "list": .init(match.name), "distance": .init(match.distance),
            ])
        throw AttemptError.rejected(.photoRefused, "This photo cannot be published here.")
    }

    private func locate(
        _ upload: Upload, _ photo: PhotoReport?, _ trace: AttemptTrace
    ) throws -> (Location, PublishedLocation, Gazetteer) {
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
        return (location, published, gazetteer)
    }

    private func store(
        _ photo: RenderedPhoto?, in pictures: PictureStore, _ trace: AttemptTrace
    ) async throws -> [PostRendition] {
        guard let photo else { return [] }
        trace.enter("store", waitingFor: .storeWriting)
        return try await pictures.store(photo.pictures)
    }

    private func assemble(
        _ upload: Upload, _ photo: PhotoReport?, _ located: (Location, PublishedLocation, Gazetteer),
        _ renditions: [PostRendition]
    ) -> NewPost {
        var post = NewPost(
            upload: upload.id, location: located.0, published: located.1, policy: upload.locationPolicy,
            gazetteer: located.2.identity,
            time: PostTime.find(uploader: upload.takenAt, camera: photo?.captureTime), photo: photo,
            renditions: renditions, rendering: rendering)
        if photo != nil { post.renderedWith = rendering.recipe.checksum }
        return post
    }

    /// Commits the post together with the job's completion, under the lease.
    private func publish(
        _ post: NewPost, _ screened: (Screening, lists: HashListStore.Version?), _ pictures: PictureStore,
        _ job: ClaimedJob, _ trace: AttemptTrace
    ) async throws {
        trace.enter("publish")
        let id = try await pool.withTransaction { transaction in
            let id = try await PublishingStore.publish(post, screening: screened.0, in: transaction)
            try await pictures.handOver(in: transaction)
            if let lists = screened.lists, try await !HashListStore.isInForce(lists, in: transaction) {
                throw AttemptError(
                    .notYet(
                        Reason(
                            code: "lists_changed",
                            message: "The lists of known photos have changed meanwhile."),
                        delay: .seconds(1)))
            }
            try await JobStore.end(job.lease, as: .succeeded, trace: trace, in: transaction)
            return id
        }
        log.info(
            screened.0 == .clear ? "post.published" : "post.held",
            job.logFields(trace) + [
                "post": .init(id), "upload": .init(post.upload),
                "place": .init(post.place.place?.name ?? ""),
                "city": .init(post.place.city?.name ?? ""),
                "country": .init(post.place.country?.code ?? ""),
                "location": .init(post.locationSource.rawValue),
            ])
    }
}
