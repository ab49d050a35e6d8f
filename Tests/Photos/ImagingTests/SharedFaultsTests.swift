import FoundationEssentials
import Imaging
import TestKit
import Testing

/// Photos that were read wrong once, with the right value.
@Suite(
    .computing, .enabled(if: SharedData.root != nil, "the shared data is missing: set DARKROOM_TEST_DATA"),
    .timeLimit(.minutes(15)))
struct SharedFaultsTests {
    static let photos = SharedData.rows("faults/photos.tsv").filter { $0["file"]?.hasSuffix(".py") == false }

    @Test(arguments: photos)
    func aPhotoIsReadRight(row: [String: String]) async throws {
        let name = try #require(row["file"])
        let root = try #require(SharedData.root) + "/faults/photos/"
        let photo = try await render(try #require(SharedData.contents(root + name)))
        for word in Self.words(row["right"] ?? "") {
            let (key, value) = (word.prefix { $0 != "=" }, String(word.drop { $0 != "=" }.dropFirst()))
            switch key {
            case "accept": #expect(photo.rejection == nil, "\(photo.verdict)")
            case "reject": #expect(photo.rejection != nil)
            case "accept-or-reject", "not-black":
                // Refused in the right words, or right: never black.
                if let rejection = photo.rejection {
                    #expect(rejection == .unsupportedFormat)
                    return
                }
                let pixels = try #require(photo.outputs.first.flatMap { PhotoPixels(jpeg: $0) })
                #expect(pixels.samples.contains { $0 > 60 })
            case "left-white":
                let pixels = try #require(photo.outputs.first.flatMap { PhotoPixels(jpeg: $0) })
                #expect(pixels.colour(0.1, 0.5).allSatisfy { $0 > 240 })
            case "gps": checkPosition(photo.report, value)
            case "taken": checkTime(photo.report, value)
            case "pic":
                let reference = try await render(try #require(SharedData.contents(root + "ref/" + value)))
                let distance = try Self.meanDistance(photo.outputs, reference.outputs)
                #expect(distance <= 2.6, "\(name)")
            case "message-not":
                guard case .rejected(let rejection, _) = photo.verdict else { break }
                #expect(!rejection.message.contains(value), "\(rejection.message)")
            default: Issue.record("unknown: \(word)")
            }
        }
    }

    /// `message-not "…"` is one word.
    private static func words(_ text: String) -> [String] {
        guard let quote = text.firstIndex(of: "\"") else {
            return text.split(separator: " ").map(String.init)
        }
        let before = text[..<quote].split(separator: " ").map(String.init)
        let quoted = text[text.index(after: quote)...].prefix { $0 != "\"" }
        return before.dropLast() + ["\(before.last ?? "")=\(quoted)"]
    }

    private func checkPosition(_ report: PhotoReport?, _ value: String) {
        guard value != "absent" else {
            #expect(report?.gps == .absent)
            return
        }
        let numbers = value.split(separator: ",").compactMap { Double($0) }
        guard case .valid(let fix, _) = report?.gps else {
            Issue.record("\(report?.gps as Any)")
            return
        }
        #expect(abs(fix.latitude - numbers[0]) < 1e-6 && abs(fix.longitude - numbers[1]) < 1e-6)
    }

    private func checkTime(_ report: PhotoReport?, _ value: String) {
        let time = report?.captureTime
        #expect(time?.local == String(value.prefix(19)))
        guard value.count > 19 else { return }
        let zone = value.dropFirst(19)
        let minutes =
            zone == "Z" ? 0 : zone.dropFirst().split(separator: ":").reduce(0) { $0 * 60 + (Int($1) ?? 0) }
        #expect(time?.offsetMinutes == (zone.first == "-" ? -minutes : minutes))
    }

    /// CIEDE2000 of the first picture, over all pixels.
    private static func meanDistance(_ found: [[UInt8]], _ expected: [[UInt8]]) throws -> Double {
        let one = try #require(found.first.flatMap { PhotoPixels(jpeg: $0) })
        let other = try #require(expected.first.flatMap { PhotoPixels(jpeg: $0) })
        try #require(one.width == other.width && one.height == other.height && one.bands == other.bands)
        let count = one.width * one.height
        let sum = (0..<count).reduce(0.0) { sum, pixel in
            func colour(_ pixels: PhotoPixels) -> LabColour {
                LabColour(srgb: pixels.samples[(pixel * pixels.bands)...].prefix(3).map { Double($0) })
            }
            return sum + colour(one).difference(to: colour(other))
        }
        return sum / Double(count)
    }
}
