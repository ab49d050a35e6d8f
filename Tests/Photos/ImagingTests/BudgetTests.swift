import Imaging
import TestKit
import Testing

/// How much memory a photo is expected to take. `make matrix` measures how much it does take.
@Suite(.computing, .timeLimit(.minutes(15))) struct BudgetTests {
    private func verdict(_ bytes: [UInt8], _ limits: RenderLimits = .patient) async throws
        -> RenderVerdict
    {
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        let photo = ScratchFile(bytes)
        let verdict = try await pool.render(input: photo.descriptor, outputs: [], recipe: .standard)
        await pool.shutdown()
        return verdict
    }

    @Test func aPhonesHEICOf200MegapixelsPassesByDefault() async throws {
        let photo = HEIFFixture.grid(.hevc, width: 16_320, height: 12_240)
        guard case .accepted(let report, _) = try await verdict(photo) else {
            Issue.record("\(try await verdict(photo))")
            return
        }
        #expect(report.width == 16_320 && report.height == 12_240)
    }

    @Test(arguments: [(10, false), (8, true), (12, true)])
    func theSameWithMoreBytesAPixelDoesNot(bits: Int, hasAlpha: Bool) async throws {
        let photo = HEIFFixture.grid(
            .hevc, width: 16_320, height: 12_240, bits: bits, hasAlpha: hasAlpha, quality: 10)
        guard case .rejected(let rejection, _) = try await verdict(photo) else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .tooMuchMemory)
    }

    /// Bytes a pixel, and besides 256 for each column.
    @Test(arguments: [
        ("baseline", 1, ".jpg[Q=60,strip]"), ("4:2:0", 4, ".jpg[Q=60,strip,interlace]"),
        ("4:4:4", 7, ".jpg[Q=95,strip,interlace]"), ("RGB", 6, ".png[strip]"), ("RGBA", 6, ".png[strip]"),
        ("lossy", 11, ".webp[strip]"), ("lossless", 11, ".webp[strip,lossless]"),
        ("tiles", 8, ".tif[strip,tile]"), ("one picture", 10, ".heic[strip]"),
        ("one picture", 10, ".avif[strip,effort=0]"),
    ])
    func aPixelTakesWhatWasMeasured(kind: String, bytes: Int, suffix: String) async throws {
        let (width, height) = (640, 480)
        let photo = PhotoFixture.pattern(
            width: width, height: height, kind == "RGBA" ? .rgba : .rgb, suffix: suffix)
        var limits = RenderLimits.patient
        limits.decodingBytes = width * height * bytes + width * 256
        guard case .accepted = try await verdict(photo, limits) else {
            Issue.record("\(try await verdict(photo, limits))")
            return
        }
        limits.decodingBytes -= 1
        guard case .rejected(let rejection, _) = try await verdict(photo, limits) else {
            Issue.record("accepted")
            return
        }
        #expect(rejection.code == .tooMuchMemory)
    }
}
