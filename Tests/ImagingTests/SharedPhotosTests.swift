import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// The real photos of the shared data, against what exiftool says of them.
@Suite(.enabled(if: SharedData.root != nil, "DARKROOM_TEST_DATA is missing"))
struct SharedPhotosTests {
    static let photos = SharedData.rows("photos.tsv")

    @Test(arguments: photos)
    func aRealPhotoIsAcceptedAndReadRight(row: [String: String]) async throws {
        let name = row["file"]!
        let bytes = try #require(SharedData.contents(SharedData.root! + "/photos/" + name))
        let photo = try await render(bytes)
        guard case .accepted(let report, _) = photo.verdict else {
            print("PHOTO \(name): \(photo.verdict)")
            return
        }
        var wrong: [String] = []
        var (width, height) = (Int(row["width"]!)!, Int(row["height"]!)!)
        let orientation = Int(row["orientation"]!) ?? 1
        if orientation >= 5 { swap(&width, &height) }
        if (report.width, report.height) != (width, height) {
            wrong.append("size \(report.width)x\(report.height), not \(width)x\(height)")
        }
        if report.orientation != (1...8 ~= orientation ? orientation : 1) {
            wrong.append("orientation \(report.orientation), not \(orientation)")
        }
        let truth = Double(row["gps_lat"]!).flatMap { lat in Double(row["gps_lon"]!).map { (lat, $0) } }
        switch (report.gps, truth) {
        case (.valid(let fix, _), let truth?):
            if abs(fix.latitude - truth.0) > 1e-4 || abs(fix.longitude - truth.1) > 1e-4 {
                wrong.append("gps \(fix), not \(truth)")
            }
        case (.absent, nil): break
        default: wrong.append("gps \(report.gps), not \(String(describing: truth))")
        }
        let time = row["datetime_original"]!.prefix(19)
        let local = report.captureTime?.local
        let expected =
            time.isEmpty
            ? nil : String(time).replacing(":", with: "-", maxReplacements: 2).replacing(" ", with: "T")
        if local != expected { wrong.append("time \(String(describing: report.captureTime)), not \(time)") }
        let offset = row["offset_original"]!
        if !offset.isEmpty, report.captureTime?.offsetSource != .offsetTag {
            wrong.append("offset \(String(describing: report.captureTime)), not \(offset)")
        }
        if !wrong.isEmpty { print("PHOTO \(name): \(wrong)") }
    }
}
