import Arguments
import CivilCalendar
import CommandSupport
import DarkroomClient
import FoundationEssentials
import Gazetteer
import MediaStore

enum EnqueueCommand {
    static let command = Command(
        "enqueue", "Store photos, or take a text, and queue them for publishing.",
        discussion: """
            Copies each photo into the media store, enqueues a job for it and prints the job's number. The options \
            override what the photo's metadata says. They apply to every photo given. \
            With --text, a headline or a caption is queued without a photo.
            """,
        options: [
            .value("uploader", "ID", "the uploader's identifier; any text", default: "cli"),
            .value("lat", "DEG", "latitude in degrees north, -90 to 90; needs --lon"),
            .value("lon", "DEG", "longitude in degrees east, -180 to 180; needs --lat"),
            .value("accuracy", "M", "accuracy of the coordinates: a radius in metres, at most 1000000"),
            .value(
                "location-privacy", "LEVEL",
                "publish the location no more exactly than: exact, grid_10m, grid_100m, grid_1km or place"),
            .value("place", "TEXT", "a place as a person types it, such as \"Seattle, WA\""),
            .value("place-near", "LAT,LON", "where the uploader is: decides between places of one name"),
            .value("place-country", "CODE", "the uploader's country, such as US: decides too"),
            .value("headline", "TEXT", "at most 200 characters"),
            .value("caption", "TEXT", "at most 5000 characters"),
            .value("taken-at", "TIME", "capture time, ISO 8601 with offset: 2026-05-01T12:00:00+02:00"),
            .value("link", "URL", "an http or https URL"),
            .value("category", "TEXT", "at most 100 characters"),
            .value("activity", "TEXT", "at most 100 characters"),
            .value("venue", "NAME", "where it was, such as a restaurant: at most 200 characters"),
            .value("venue-id", "TEXT", "the app's own number of the venue; needs --venue"),
            .value("credit", "TEXT", "who made the photo: at most 200 characters"),
            .value("licence", "TEXT", "what others may do with it, such as CC-BY-4.0"),
            .value("priority", "N", "-100 to 100; lower runs first", default: "0"),
            .value("at", "TIME", "run not before this time, or after this delay: 30s, 5m, 2h (default: now)"),
            .value(
                "idempotency-key", "KEY",
                "return the earlier job of this uploader and key, if any; for one photo only"),
            .flag("anonymous", "readers learn neither the uploader nor their name"),
            .flag("text", "queue a headline or a caption without a photo"),
            Settings.json, Settings.database, Settings.media,
        ],
        positionals: [.rest("PHOTO", "image files")],
        examples: [
            Example("darkroom enqueue ferry.jpg", "takes location and time from the photo"),
            Example(
                "darkroom enqueue --lat 47.6026 --lon -122.3393 --caption \"At dawn\" ferry.jpg",
                "gives the location"
            ),
            Example(
                "darkroom enqueue --text --place \"Seattle, WA\" --headline \"Lost: a blue bike\"",
                "queues a text without a photo"),
            Example("darkroom enqueue --place \"Seattle, WA\" --at 5m ferry.jpg", "runs in five minutes"),
        ]
    ) { arguments in
        var details = UploadDetails(uploader: arguments.string("uploader") ?? "cli")
        details.headline = arguments.string("headline")
        details.caption = arguments.string("caption")
        details.link = arguments.string("link")
        details.category = arguments.string("category")
        details.activity = arguments.string("activity")
        details.venueName = arguments.string("venue")
        details.venueID = arguments.string("venue-id")
        details.credit = arguments.string("credit")
        details.licence = arguments.string("licence")
        details.place = arguments.string("place")
        details.placeNear = try arguments.string("place-near").map {
            let point = try GazetteerCommand.coordinate($0)
            return (point.latitude, point.longitude)
        }
        details.placeCountry = arguments.string("place-country")
        details.takenAt = try arguments.time("taken-at")
        details.priority = try arguments.int("priority", in: -100...100) ?? 0
        details.runAt = try startTime(arguments)
        details.idempotencyKey = arguments.string("idempotency-key")
        details.coordinates = try coordinates(arguments)
        details.accuracyMetres = try arguments.double("accuracy", in: 0.001...1_000_000)
        if details.accuracyMetres != nil, details.coordinates == nil {
            throw UsageError("--accuracy needs --lat and --lon: give them too")
        }
        details.isAnonymous = arguments.flag("anonymous")
        details.locationPrivacy = try arguments.choice("location-privacy", of: LocationPrivacy.self)
        let photos = arguments.strings("PHOTO")
        let isText = arguments.flag("text")
        guard isText == photos.isEmpty else {
            throw UsageError(
                isText
                    ? "--text queues no photo: leave out \(photos[0])" : "give a photo, or --text for a text")
        }
        if details.idempotencyKey != nil, photos.count > 1 {
            throw UsageError("--idempotency-key is for one upload: give one photo, not \(photos.count)")
        }

        if !isText {
            // The first photo of a database decides where its store is.
            if arguments.string("database")?.isEmpty == false, arguments.string("media")?.isEmpty != false {
                throw UsageError(
                    "say where this database's photos are: give --media or set DARKROOM_MEDIA. Without that, this folder would "
                        + "become its media store")
            }
            try await Settings.requireResponse(arguments)
        }
        let client = try DarkroomClient(
            database: try await Settings.databaseURL(arguments), media: Settings.mediaLocation(arguments))
        var failed = 0
        for photo in isText ? [nil] : photos.map(Optional.some) {
            do {
                let job =
                    if let photo { try await client.enqueue(photo: photo, details) } else {
                        try await client.enqueue(text: details)
                    }
                if arguments.flag("json") {
                    Output.line(
                        JSON.object([
                            ("job_id", .integer(job)), ("file", JSON.optional(photo) { .string($0) }),
                        ]).line)
                } else {
                    Output.line(photo.map { "\(job)\t\(Terminal.printable($0))" } ?? "\(job)")
                }
            } catch let error as DarkroomError
                where error.code == .media
                && (error.underlying as? MediaError)?.concernsWholeStore != true
            {
                // The other photos may well be readable.
                failed += 1
                Output.note("darkroom: \(error)")
            } catch {
                await client.close()
                throw Settings.explained(error)
            }
        }
        await client.close()
        if failed > 0 { throw ExitCode(1) }
    }

    private static func coordinates(_ arguments: ParsedArguments) throws -> (
        latitude: Double, longitude: Double
    )? {
        let latitude = try arguments.double("lat", in: -90...90)
        let longitude = try arguments.double("lon", in: -180...180)
        switch (latitude, longitude) {
        case (nil, nil): return nil
        case (let latitude?, let longitude?): return (latitude, longitude)
        default: throw UsageError("--lat and --lon go together: give both or neither")
        }
    }

    private static func startTime(_ arguments: ParsedArguments) throws -> Date? {
        guard let text = arguments.string("at") else { return nil }
        if text.contains("-") || text.contains(":") { return try arguments.time("at") }
        return try arguments.duration("at").map { Date(timeIntervalSinceNow: $0.seconds) }
    }
}
