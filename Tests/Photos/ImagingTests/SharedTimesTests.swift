import ChildProcess
import FoundationEssentials
import Imaging
import TestKit
import Testing

private let exiftool = ChildProgram.find("exiftool")

/// The times of the shared data's real photos, compared with exiftool to the microsecond.
@Suite(
    .computing, .enabled(if: SharedData.root != nil, "the shared data is missing: set DARKROOM_TEST_DATA"),
    .enabled(if: exiftool != nil, "exiftool is missing: apt-get install libimage-exiftool-perl"),
    .timeLimit(.minutes(15)))
struct SharedTimesTests {
    /// Times in our order, each with its decimals if they are a tag of their own.
    private static let sources = [
        ("ExifIFD:DateTimeOriginal", "ExifIFD:SubSecTimeOriginal"),
        ("XMP-exif:DateTimeOriginal", ""), ("XMP-photoshop:DateCreated", ""),
        ("ExifIFD:CreateDate", "ExifIFD:SubSecTimeDigitized"), ("XMP-exif:DateTimeDigitized", ""),
        ("XMP-xmp:CreateDate", ""),
        ("IFD0:ModifyDate", "ExifIFD:SubSecTime"),
    ]

    /// The first time that exiftool finds in our order of sources.
    private static func expected(_ tags: [String: String]) -> (name: String, local: String)? {
        for (name, decimals) in sources {
            guard let text = tags[name], text.count >= 19, !text.hasPrefix("0000") else { continue }
            let clock = text.prefix(19).split(separator: " ")
            var local = clock[0].split(separator: ":").joined(separator: "-") + "T" + clock[1]
            // A second of 60 becomes 59.
            if local.hasSuffix("60") { local = local.dropLast(2) + "59" }
            let own = text.dropFirst(19).first == "." ? text.dropFirst(20).prefix { $0.isNumber } : ""
            var fraction = String((tags[decimals].map { Substring($0) } ?? own).prefix(6))
            while fraction.last == "0" { fraction.removeLast() }
            return (name, fraction.isEmpty ? local : local + "." + fraction)
        }
        return nil
    }

    @Test func allTimesAreThoseOfExiftool() async throws {
        let names = SharedPhotosTests.photos.compactMap { $0["file"] }
        let root = try #require(SharedData.root) + "/photos/"
        let tags = Self.sources.flatMap { [$0.0, $0.1] }.filter { !$0.isEmpty }
        let result = try await ChildProgram(
            try #require(exiftool),
            ["-q", "-q", "-T"] + tags.map { "-" + $0 } + names.map { root + $0 }
        ).run()
        // One line for each file; a dash stands for a missing tag.
        let all = result.standardOutput.split(separator: "\n").map { line in
            let values = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Dictionary(uniqueKeysWithValues: zip(tags, values).filter { $0.1 != "-" })
        }
        #expect(all.count == names.count)
        var withDecimals = 0
        for (name, tags) in zip(names, all) {
            guard SharedPhotosTests.exceptions[name] != .refused(.truncated),
                SharedPhotosTests.exceptions[name] != .refused(.unsupportedFormat)
            else { continue }
            let report = try await inspect(try #require(SharedData.contents(root + name)))
            let expected = Self.expected(tags)
            #expect(report.captureTime?.local == expected?.local, "\(name): \(expected?.name ?? "no time")")
            if expected?.local.contains(".") == true { withDecimals += 1 }
        }
        #expect(withDecimals == 33)
    }
}
