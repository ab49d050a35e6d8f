import FoundationEssentials
import Glibc
import Imaging
import Synchronization
import TestKit
import Testing

/// A sound photo of any accepted kind and size is accepted, or refused by a limit. `make matrix` tries all sizes and
/// prints a table.
@Suite(.computing, .timeLimit(.minutes(MatrixCell.isWhole ? 60 : 15))) struct MatrixTests {
    /// The codes that name a limit.
    private static let limits: Set<PhotoRejection.Code> = [
        .tooManyBytes, .tooManyPixels, .sideTooLong, .tooElongated, .tooManyFrames, .tooManyScans,
        .tooMuchMemory, .timeout,
    ]

    @Test(.enabled(if: !MatrixCell.isWhole), arguments: MatrixCell.small.every(4))
    func aSmallSoundPhotoIsAcceptedOrExceedsALimit(cell: MatrixCell) async throws {
        try await check(cell)
    }

    /// One after the other: each may need as much memory as a photo may.
    @Test(.serialized, arguments: MatrixCell.chosen)
    func aSoundPhotoIsAcceptedOrExceedsALimit(cell: MatrixCell) async throws {
        try await check(cell)
    }

    private func check(_ cell: MatrixCell) async throws {
        let photo = ScratchFile(cell.make(cell.width, cell.height))
        var limits = RenderLimits()
        // On a busy machine, the photo waits for the processor.
        limits.wallClockSeconds = 240
        let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
        let outputs = Recipe.standard.renditions.map { _ in ScratchFile() }
        let start = ContinuousClock.now
        let result: Result<RenderVerdict, any Error>
        do {
            result = .success(
                try await pool.render(
                    input: photo.descriptor, outputs: outputs.map(\.descriptor), recipe: .standard))
        } catch { result = .failure(error) }
        let took = ContinuousClock.now - start
        let memory = pool.statistics.processes.first.map(Self.peak) ?? "-"
        await pool.shutdown()
        if MatrixCell.isWhole { Self.report(cell, result, took, memory) }
        switch try result.get() {
        case .accepted(let report, _):
            #expect(report.width == cell.width && report.height == cell.height)
        case .rejected(let rejection, _):
            #expect(
                Self.limits.contains(rejection.code),
                "\(rejection.code.rawValue): \(rejection.detail ?? rejection.message)")
        }
    }

    /// The most memory that a process had, and the most addresses, in megabytes.
    private static func peak(of process: Int32) -> String {
        let text = String(decoding: SharedData.contents("/proc/\(process)/status") ?? [], as: UTF8.self)
        let figures = ["VmHWM:", "VmPeak:"].map { name in
            text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap {
                Int($0.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber })
            }
        }
        return figures.map { $0.map { String($0 >> 10) } ?? "-" }.joined(separator: " ")
    }

    private static let done = Atomic<Int>(0)

    private static func report(
        _ cell: MatrixCell, _ result: Result<RenderVerdict, any Error>, _ took: Duration, _ memory: String
    ) {
        let number = done.add(1, ordering: .relaxed).newValue
        if number == 1 {
            print(
                "| n | format | variant | size | MP | bands | bits | verdict | s | resident MB, addresses MB |"
            )
            print("|---|---|---|---|---|---|---|---|---|---|")
        }
        let verdict =
            switch result {
            case .success(.accepted): "accepted"
            case .success(.rejected(let rejection, _)): rejection.code.rawValue
            case .failure(let error): "ERROR \(error)"
            }
        let columns = [
            "\(MatrixCell.skipped + number)/\(MatrixCell.skipped + MatrixCell.chosen.count)", cell.format,
            cell.variant, "\(cell.width)x\(cell.height)",
            "\(cell.megapixels)", cell.colours.rawValue, "\(cell.bits)", verdict,
            String((took / .milliseconds(100)).rounded() / 10), memory,
        ]
        print("| \(columns.joined(separator: " | ")) |")
        fflush(nil)
    }
}
