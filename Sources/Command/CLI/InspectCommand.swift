import Arguments
import CLinux
import FoundationEssentials
import Glibc
import Imaging
import PlainText

/// `darkroom inspect`: what would happen to a file, without a database.
enum InspectCommand {
    static let command = Command(
        "inspect", "Say what would happen to photos; needs no database.",
        discussion: """
            Each photo is parsed in the sandboxed renderer, as a worker would. With --render the renditions are \
            written into a directory. Exits with 1 where a photo would be rejected.
            """,
        options: [
            .value("render", "DIR", "write the renditions into this directory"), Settings.rendering,
            Settings.json,
        ],
        positionals: [.restRequired("PHOTO", "image files")],
        examples: [
            Example("darkroom inspect ferry.jpg", "verdict, format, size, orientation, place and time"),
            Example("darkroom inspect --json *.jpg", "one JSON object a photo"),
            Example("darkroom inspect --render out ferry.jpg", "also writes the pictures"),
        ]
    ) { arguments in
        let directory = arguments.string("render")
        if let directory {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        let rendering = try Settings.renderConfiguration(arguments)
        let renderers = try Settings.renderers(size: 1, limits: rendering.limits)
        var rejected = 0
        do {
            for photo in arguments.strings("PHOTO") {
                let inspection = try await Inspection.make(
                    of: photo, with: renderers, recipe: rendering.recipe, directory: directory)
                Output.line(arguments.flag("json") ? inspection.json.line : inspection.text)
                if !inspection.isAccepted { rejected += 1 }
            }
        } catch {
            await renderers.shutdown()
            throw error
        }
        await renderers.shutdown()
        if rejected > 0 { throw ExitCode(1) }
    }
}

/// The answer of `darkroom inspect` for one file.
struct Inspection {
    let file: String
    let rejection: (reason: String, message: String)?
    let report: PhotoReport?
    let renditions: [(image: RenderedImage, path: String?)]

    var isAccepted: Bool { rejection == nil }

    static func make(
        of file: String, with renderers: RendererPool, recipe: Recipe, directory: String?
    ) async throws -> Inspection {
        let input = open(file, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw CommandError("\(file): \(String(cString: strerror(errno)))") }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError("\(file) is not a regular file")
        }
        let outputs = try directory.map { try Outputs(recipe: recipe, directory: $0, photo: file) }
        let scratch = try outputs ?? Outputs(recipe: recipe)
        defer { scratch.close() }
        do {
            switch try await renderers.render(input: input, outputs: scratch.descriptors, recipe: recipe) {
            case .rejected(let rejection, let report):
                scratch.discard()
                return Inspection(
                    file: file, rejection: (rejection.code.rawValue, rejection.message), report: report,
                    renditions: [])
            case .accepted(let report, let images):
                return Inspection(
                    file: file, rejection: nil, report: report,
                    renditions: zip(images, scratch.paths).map { ($0, $1) })
            }
        } catch let error as RendererError where error.suspectsPhoto {
            // A worker would quarantine it after its third renderer.
            scratch.discard()
            return Inspection(
                file: file, rejection: ("renderer_died", "\(error)"), report: nil, renditions: [])
        }
    }

    var json: JSON {
        .object([
            ("file", .string(file)), ("verdict", .string(isAccepted ? "accepted" : "rejected")),
            ("reason", JSON.optional(rejection) { .string($0.reason) }),
            ("message", JSON.optional(rejection) { .string($0.message) }),
            ("format", JSON.optional(report) { .string($0.format.rawValue) }),
            ("width", JSON.optional(report) { .integer(Int64($0.width)) }),
            ("height", JSON.optional(report) { .integer(Int64($0.height)) }),
            ("orientation", JSON.optional(report) { .integer(Int64($0.orientation)) }),
            ("gps", JSON.optional(report) { $0.gps.json }),
            ("taken_at", JSON.optional(report?.captureTime) { .string($0.text) }),
            ("camera_make", JSON.optional(report?.cameraMake) { .string($0) }),
            ("camera_model", JSON.optional(report?.cameraModel) { .string($0) }),
            ("placeholder", JSON.optional(report?.thumbHash) { .string(Data($0).base64EncodedString()) }),
            ("perceptual_hash", JSON.optional(report?.perceptualHash) { .string($0.hexadecimal) }),
            ("frames", JSON.optional(report) { .integer(Int64($0.frames)) }),
            ("stripped", JSON.optional(report) { .array($0.stripped.map { .string($0) }) }),
            (
                "renditions",
                .array(
                    renditions.map { rendition in
                        .object([
                            ("name", .string(rendition.image.name)),
                            ("width", .integer(Int64(rendition.image.width))),
                            ("height", .integer(Int64(rendition.image.height))),
                            ("bytes", .integer(Int64(rendition.image.bytes))),
                            ("path", JSON.optional(rendition.path) { .string($0) }),
                        ])
                    })
            ),
        ])
    }

    var text: String {
        var lines = ["\(file): \(isAccepted ? "accepted" : "rejected")"]
        if let rejection { lines.append("  reason       \(rejection.reason): \(rejection.message)") }
        if let report {
            lines.append(
                "  photo        \(report.width)x\(report.height) \(report.format.rawValue), orientation \(report.orientation)"
            )
            lines.append("  location     \(report.gps.text)")
            lines.append("  taken        \(report.captureTime?.text ?? "-")")
            let camera = [report.cameraMake, report.cameraModel].compactMap(\.self)
            lines.append("  camera       \(camera.isEmpty ? "-" : camera.joined(separator: " "))")
            lines.append(
                "  stripped     \(report.stripped.isEmpty ? "-" : report.stripped.joined(separator: ", "))")
        }
        for (image, path) in renditions {
            let name = image.name + String(repeating: " ", count: max(1, 13 - image.name.count))
            lines.append(
                "  \(name)\(image.width)x\(image.height), \(image.bytes) bytes\(path.map { ", \($0)" } ?? "")"
            )
        }
        return lines.joined(separator: "\n")
    }
}

/// The files that renditions are written to: named ones in a directory, or unnamed ones in memory.
private struct Outputs {
    let descriptors: [Int32]
    let paths: [String?]

    init(recipe: Recipe) throws {
        paths = recipe.renditions.map { _ in nil }
        descriptors = try recipe.renditions.map { spec in
            let descriptor = linux_open_memory_file(spec.name)
            guard descriptor >= 0 else {
                throw CommandError("no memory file: \(String(cString: strerror(errno)))")
            }
            return descriptor
        }
    }

    init(recipe: Recipe, directory: String, photo: String) throws {
        let base = photo.split(separator: "/").last.map(String.init) ?? "photo"
        let stem = base.lastIndex(of: ".").map { String(base[..<$0]) } ?? base
        let names = recipe.renditions.map {
            "\(directory)/\(stem).\($0.name).\($0.encoding.format.fileExtension)"
        }
        paths = names
        descriptors = try names.map { name in
            let descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw CommandError("\(name): \(String(cString: strerror(errno)))") }
            return descriptor
        }
    }

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }

    func discard() {
        for path in paths { if let path { unlink(path) } }
    }
}

extension GPSReading {
    var json: JSON {
        switch self {
        case .absent: .object([("state", "absent"), ("lat", .null), ("lon", .null)])
        case .invalid(let reason):
            .object([("state", "invalid"), ("lat", .null), ("lon", .null), ("reason", .string(reason))])
        case .nullIsland: .object([("state", "null_island"), ("lat", .null), ("lon", .null)])
        case .valid(let fix, let source):
            .object([
                ("state", "valid"), ("lat", .number(fix.latitude)), ("lon", .number(fix.longitude)),
                ("source", .string(source.rawValue)),
            ])
        }
    }

    var text: String {
        switch self {
        case .absent: "-"
        case .invalid(let reason): "invalid: \(reason)"
        case .nullIsland: "0, 0: taken for no position"
        case .valid(let fix, let source): "\(fix.latitude), \(fix.longitude) (\(source.rawValue))"
        }
    }
}

extension CaptureTime {
    /// ISO 8601; with the offset where it is known.
    var text: String {
        guard let offsetMinutes else { return local }
        if offsetMinutes == 0 { return local + "Z" }
        let size = abs(offsetMinutes)
        return local + (offsetMinutes < 0 ? "-" : "+") + (size / 60).padded(to: 2) + ":"
            + (size % 60).padded(to: 2)
    }
}
