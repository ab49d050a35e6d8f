import FoundationEssentials
import Glibc
import Imaging
import TestKit

/// The outcome of one photo through a real renderer process.
struct Rendered {
    var verdict: RenderVerdict
    var outputs: [[UInt8]]

    var report: PhotoReport? {
        switch verdict {
        case .accepted(let report, _): report
        case .rejected(_, let report): report
        }
    }

    /// What is told to operators only. The decoder may refuse for other reasons what must not get there.
    var detail: String? {
        if case .rejected(let rejection, _) = verdict { rejection.detail } else { nil }
    }

    var rejection: PhotoRejection.Code? {
        if case .rejected(let rejection, _) = verdict { rejection.code } else { nil }
    }
}

/// An unnamed temporary file.
final class ScratchFile: Sendable {
    let descriptor: CInt

    init(_ bytes: [UInt8] = []) {
        var path = Array("/tmp/darkroom-test-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        precondition(descriptor >= 0)
        unlink(path)
        var written = 0
        while written < bytes.count {
            let put = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress! + written, bytes.count - written)
            }
            precondition(put > 0)
            written += put
        }
    }

    deinit { close(descriptor) }

    var contents: [UInt8] {
        var status = stat()
        fstat(descriptor, &status)
        return readWhole(descriptor, count: Int(status.st_size)) ?? []
    }
}

let rendererPath: String? = {
    let path = Checkout.programs + "/darkroom-renderer"
    return access(path, X_OK) == 0 ? path : nil
}()

extension RenderLimits {
    /// The standard ones, for a machine that does much else: the processor time is the judge, not the clock on the wall.
    static var patient: RenderLimits {
        var limits = RenderLimits()
        limits.wallClockSeconds = 240
        return limits
    }
}

/// Each renderer gets many photos, which is quicker. Tests of the isolation have pools of their own.
let sharedPool = RendererPool(
    executable: rendererPath!, size: 2, limits: .patient, retirement: RendererPool.Retirement(.pool))

func render(
    _ bytes: [UInt8], recipe: Recipe = .standard, pool: RendererPool = sharedPool
) async throws -> Rendered {
    let input = ScratchFile(bytes)
    let outputs = recipe.renditions.map { _ in ScratchFile() }
    let verdict = try await pool.render(
        input: input.descriptor, outputs: outputs.map(\.descriptor), recipe: recipe)
    return Rendered(verdict: verdict, outputs: outputs.map(\.contents))
}

/// What a renderer reads from a photo that must be accepted.
func inspect(_ bytes: [UInt8]) async throws -> PhotoReport {
    let file = ScratchFile(bytes)
    let verdict = try await sharedPool.render(input: file.descriptor, outputs: [], recipe: .standard)
    guard case .accepted(let report, _) = verdict else {
        throw RendererError(.protocolViolation, "\(verdict)")
    }
    return report
}

/// A device or file opened by path.
final class OpenedFile {
    let descriptor: CInt

    init(_ path: String) {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        precondition(descriptor >= 0)
    }

    deinit { close(descriptor) }
}

extension RenditionEncoding {
    static func jpeg(quality: Int? = nil, progressive: Bool = false) -> RenditionEncoding {
        RenditionEncoding(.jpeg, quality: quality, isProgressive: progressive)
    }
    static func webp(quality: Int? = nil, effort: Int? = nil, isAnimated: Bool = false) -> RenditionEncoding {
        RenditionEncoding(.webp, quality: quality, effort: effort, keepsFrames: isAnimated)
    }
    static func avif(quality: Int? = nil, effort: Int? = nil) -> RenditionEncoding {
        RenditionEncoding(.avif, quality: quality, effort: effort)
    }
}
