import Glibc
import Imaging
import TestKit
import Testing

/// The hostile files of the shared data, and the verdict that each must get.
///
/// If `DARKROOM_TEST_CORPUS` is set, the 674 files from fuzzing corpora are tested too.
@Suite(
    .computing, .enabled(if: SharedData.root != nil, "the shared data is missing: set DARKROOM_TEST_DATA"),
    .timeLimit(.minutes(15)))
struct HostileTests {
    static let all = SharedData.rows("hostile.tsv")
    static let named = all.filter { !($0["file"] ?? "").hasPrefix("corpus/") }

    @Test func theManifestIsWhole() {
        #expect(Self.all.count == 908 && Self.named.count == 234)
    }

    @Test(arguments: getenv("DARKROOM_TEST_CORPUS") == nil ? named : all)
    func aHostileFileGetsItsVerdict(row: [String: String]) async throws {
        let name = try #require(row["file"])
        let bytes = try #require(SharedData.contents(SharedData.root! + "/hostile/" + name))
        // No error is allowed: a renderer that dies throws and fails the test.
        let photo = try await render(bytes)
        switch row["expected"] {
        case "accept": #expect(photo.rejection == nil, "\(photo.verdict)")
        case "reject": #expect(photo.rejection != nil, "\(row["why"] ?? "")")
        default: break
        }
        for output in photo.outputs {
            for marker in ["CANARY", "<script", "<?php"] {
                #expect(!contains(output, Array(marker.utf8)))
                #expect(!contains(output, marker.utf8.flatMap { [$0, 0] }))
            }
        }
    }

    private func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { haystack in
            guard let base = haystack.baseAddress else { return false }
            var position = 0
            while position + pattern.count <= haystack.count,
                let found = memchr(base + position, CInt(pattern[0]), haystack.count - position)
            {
                position = UnsafeRawPointer(found) - base
                guard position + pattern.count <= haystack.count else { return false }
                if memcmp(found, pattern, pattern.count) == 0 { return true }
                position += 1
            }
            return false
        }
    }

    @Test(
        arguments: [
            ("gps_valid_46_7.jpg", 46.5, 7.5), ("gps_minutes_decimal.jpg", -46.5, -7.5),
            ("gps_lowercase_ref.jpg", -46.5, -7.5), ("gps_decimal_degrees.jpg", 46.5, 7.5),
            ("gps_exact_pole_180.jpg", -90, -180),
        ])
    func anOddButSoundPositionIsRead(name: String, latitude: Double, longitude: Double) async throws {
        let bytes = try #require(SharedData.contents(SharedData.root! + "/hostile/" + name))
        guard case .valid(let fix, .exif)? = try await render(bytes).report?.gps else {
            Issue.record("no position")
            return
        }
        #expect(abs(fix.latitude - latitude) < 1e-6 && abs(fix.longitude - longitude) < 1e-6)
    }

    @Test(
        arguments: named.compactMap { $0["file"] }.filter { name in
            name.hasPrefix("gps_")
                && ![
                    "valid", "minutes_decimal", "lowercase", "decimal_degrees", "exact_pole", "two_rationals",
                ]
                .contains { name.dropFirst(4).hasPrefix($0) }
        } + ["polyglot_jpeg_second_jpeg_gps.jpg"])
    func anUnsoundPositionIsNotBelieved(name: String) async throws {
        let bytes = try #require(SharedData.contents(SharedData.root! + "/hostile/" + name))
        let report = try #require(try await render(bytes).report)
        if case .valid(let fix, _) = report.gps { Issue.record("\(fix)") }
    }
}
