import Arguments
import CommandSupport
import FoundationEssentials
import Glibc
import Imaging

/// The result of `darkroom inspect` for one file.
struct Inspection {
    let file: String
    let rejection: (reason: String, message: String)?
    let report: PhotoReport?
    let renditions: [(image: RenderedImage, path: String?)]

    var isAccepted: Bool { rejection == nil }

    static func make(
        of file: String, with renderers: RendererPool, recipe: Recipe,
        target: (directory: String, stem: String)?
    ) async throws -> Inspection {
        let input = open(file, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw CommandError("\(file): \(String(cString: strerror(errno)))") }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError("\(file) is not a regular file")
        }
        let outputs = try target.map {
            try InspectionOutputs(recipe: recipe, directory: $0.directory, stem: $0.stem)
        }
        let scratch = try outputs ?? InspectionOutputs(recipe: recipe)
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
            // A worker would quarantine the photo after it killed three renderers.
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
            ("claim_generator", JSON.optional(report?.claimGenerator) { .string($0) }),
            ("camera_make", JSON.optional(report?.cameraMake) { .string($0) }),
            ("camera_model", JSON.optional(report?.cameraModel) { .string($0) }),
            ("placeholder", JSON.optional(report?.thumbHash) { .string(Data($0).base64EncodedString()) }),
            ("perceptual_hash", JSON.optional(report?.perceptualHash) { .string($0.hexadecimal) }),
            ("pdq", JSON.optional(report?.pdq) { .string($0.hexadecimal) }),
            ("pdq_quality", JSON.optional(report?.pdq) { .integer(Int64($0.quality)) }),
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
        // File names and what a photo says may have control characters.
        return lines.map { Terminal.printable($0) }.joined(separator: "\n")
    }
}
