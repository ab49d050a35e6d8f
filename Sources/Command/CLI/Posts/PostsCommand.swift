import Arguments
import CivilCalendar
import CommandSupport
import FoundationEssentials
import Imaging
import PlainText
import Posts

enum PostsCommand {
    static let command = Command(
        "posts", "List posts, correct their places, and render them again.",
        subcommands: [list, show, PostsRelocate.command, PostsCorrectPlace.command, PostsRerender.command])

    private static let list = Command(
        "list", "List posts, latest first.",
        options: [
            .repeated("state", "STATE", "published (the default), held, hidden, removed or expired"),
            .flag("all", "posts in every state"), .value("limit", "N", "show at most N", default: "50"),
            Settings.json, Settings.database, Settings.media,
        ],
        examples: [
            Example("darkroom posts list", "lists the latest 50 that readers see"),
            Example("darkroom posts list --state hidden", "lists posts that reports have hidden"),
        ]
    ) { arguments in
        var states = try arguments.choices("state", of: PostState.self)
        if states.isEmpty { states = arguments.flag("all") ? PostState.allCases : [.published] }
        let limit = try arguments.int("limit", in: 1...100_000) ?? 50
        let posts = try await Settings.withPool(arguments) { [states] in
            try await ReadingStore(pool: $0).posts(in: states, limit: limit)
        }
        if arguments.flag("json") {
            for post in posts { Output.line(post.json.line) }
            return
        }
        guard !posts.isEmpty else { return Output.note("No post matches.") }
        var table = TextTable(columns: [
            .init("POST", .right), .init("STATE"), .init("TAKEN"), .init("PLACE"),
            .init("LATITUDE", .right), .init("LONGITUDE", .right), .init("BY"),
            .init("SIZE"), .init("HEADLINE"),
        ])
        for post in posts {
            table.add([
                String(post.id), post.state.rawValue, post.takenText, post.place.text,
                post.latitude.fixed(places: 4), post.longitude.fixed(places: 4), post.locationSource,
                post.photoText ?? "text", post.headline ?? post.caption ?? "-",
            ])
        }
        Output.table(table)
    }

    private static let show = Command(
        "show", "Show a post and its pictures.",
        options: [Settings.json, Settings.database],
        positionals: [.required("POST", "the post's number")],
        examples: [Example("darkroom posts show 3", "shows text, location, photo and renditions")]
    ) { arguments in
        let text = arguments.string("POST") ?? ""
        guard let id = Int64(text) else { throw UsageError("“\(text)” is not a post's number") }
        let found = try await Settings.withPool(arguments) { try await ReadingStore(pool: $0).post(id) }
        guard let post = found else {
            throw CommandError("there is no post \(id): 'darkroom posts list --all' shows all posts")
        }
        if arguments.flag("json") { return Output.line(post.json.line) }
        Output.line(Terminal.printable("Post \(post.id): \(post.state.rawValue), of \(post.uploader)"))
        for (name, value) in post.said + [
            ("taken", post.takenText),
            ("place", post.place.text),
            ("location", "\(post.latitude), \(post.longitude) (\(post.locationText))"),
            ("photo", post.photoText),
            ("stripped", post.stripped.isEmpty ? nil : post.stripped.joined(separator: ", ")),
            ("camera", post.camera.map { [$0.make, $0.model].compactMap(\.self).joined(separator: " ") }),
            ("reports", String(post.reportCount)),
        ] {
            guard let value else { continue }
            let gap = String(repeating: " ", count: 10 - name.count)
            Output.line(Terminal.printable("  \(name)\(gap)\(value)"))
        }
        guard !post.renditions.isEmpty else { return }
        var table = TextTable(columns: [
            .init("RENDITION"), .init("SIZE"), .init("BYTES", .right), .init("PATH"),
        ])
        for picture in post.renditions {
            table.add([
                picture.name, "\(picture.width)x\(picture.height)", String(picture.byteCount),
                picture.mediaKey,
            ])
        }
        Output.table(table)
    }
}

extension PostRecord {
    /// "4032x3024 jpeg", or nil for a text without a photo.
    var photoText: String? {
        guard let width, let height, let format else { return nil }
        return "\(width)x\(height) \(format)"
    }

    var takenText: String {
        guard let time else { return "-" }
        if let local = time.local { return local.replacing("T", with: " ") }
        return time.instant.map { $0.shortStamp + " UTC" } ?? "-"
    }

    /// "device, ±12 m, published as grid_10m"
    var locationText: String {
        var parts = [locationSource]
        if let accuracyMetres { parts.append("±\(Int(accuracyMetres.rounded(.up))) m") }
        if precision != .point { parts.append("known as \(precision.rawValue)") }
        parts.append("published as \(privacy.rawValue)")
        if isPlaceCorrected { parts.append("place corrected") }
        return parts.joined(separator: ", ")
    }

    var json: JSON {
        func named(_ value: PostPlace.Named?) -> JSON {
            JSON.optional(value) {
                .object([
                    ("geonameid", JSON.optional($0.geonameid) { .integer($0) }), ("code", .string($0.code)),
                    ("name", .string($0.name)),
                ])
            }
        }
        func text(_ value: String?) -> JSON { JSON.optional(value) { .string($0) } }
        return .object([
            ("post_id", .integer(id)), ("upload_id", .integer(upload)), ("state", .string(state.rawValue)),
            ("uploader", .string(uploader)), ("headline", text(headline)), ("caption", text(caption)),
            ("link", text(link)), ("category", text(category)), ("activity", text(activity)),
            ("venue_id", text(venueID)), ("venue_name", text(venueName)), ("credit", text(credit)),
            ("licence", text(licence)),
            ("taken_at", JSON.optional(time?.instant) { .string($0.stamp) }),
            ("taken_at_local", text(time?.local)), ("taken_at_source", text(time?.source.rawValue)),
            ("taken_at_offset_source", text(time?.offsetSource?.rawValue)), ("time_zone", text(timeZone)),
            ("published_at", .string(publishedAt.stamp)), ("latitude", .number(latitude)),
            ("longitude", .number(longitude)), ("location_source", .string(locationSource)),
            ("location_accuracy_m", JSON.optional(accuracyMetres) { .number($0) }),
            ("location_precision", .string(precision.rawValue)),
            ("location_privacy", .string(privacy.rawValue)),
            ("place_source", .string(isPlaceCorrected ? "person" : "gazetteer")),
            ("country", named(place.country)), ("division", named(place.division)),
            (
                "city",
                JSON.optional(place.city) {
                    .object([("geonameid", .integer($0.geonameid)), ("name", .string($0.name))])
                }
            ),
            (
                "place",
                JSON.optional(place.place) {
                    .object([
                        ("geonameid", .integer($0.geonameid)), ("name", .string($0.name)),
                        ("distance_m", .number($0.distanceMetres.rounded())),
                    ])
                }
            ),
            ("width", JSON.optional(width) { .integer(Int64($0)) }),
            ("height", JSON.optional(height) { .integer(Int64($0)) }), ("format", text(format)),
            ("stripped", .array(stripped.map { .string($0) })),
            ("camera_make", text(camera?.make)), ("camera_model", text(camera?.model)),
            ("placeholder", JSON.optional(placeholder) { .string(Data($0).base64EncodedString()) }),
            (
                "perceptual_hash",
                JSON.optional(perceptualHash) { .string(PerceptualHash(bits: $0).hexadecimal) }
            ),
            ("report_count", .integer(Int64(reportCount))),
            (
                "renditions",
                .array(
                    renditions.map {
                        .object([
                            ("name", .string($0.name)), ("width", .integer(Int64($0.width))),
                            ("height", .integer(Int64($0.height))), ("bytes", .integer($0.byteCount)),
                            ("path", .string($0.mediaKey)), ("format", .string($0.format)),
                        ])
                    })
            ),
        ])
    }
}
