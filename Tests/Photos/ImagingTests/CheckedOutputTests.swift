import Glibc
import Imaging
import Synchronization
import TestKit
import Testing

/// How the pool treats the bytes that it finds in a rendition's file.
@Suite(.timeLimit(.minutes(15)))
struct CheckedOutputTests {
    /// A file whose bytes are changed on the way to the check, as a compromised renderer would write them.
    private final class ChangedOutput: RenderOutput {
        private let file = ScratchFile()
        private let change: @Sendable (inout [UInt8]) throws -> Void
        private let looks = Mutex(0)

        init(_ change: @escaping @Sendable (inout [UInt8]) throws -> Void) { self.change = change }

        var descriptor: CInt { file.descriptor }
        var lookCount: Int { looks.withLock { $0 } }

        func look(atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void) throws {
            looks.withLock { $0 += 1 }
            var status = stat()
            try #require(fstat(descriptor, &status) == 0)
            var bytes = try #require(readWhole(descriptor, count: Int(status.st_size)))
            try change(&bytes)
            try bytes.withUnsafeBytes(check)
        }
    }

    private struct DiskFault: Error {}

    private static let recipe = Recipe(
        name: "one", version: 1, renditions: [RenditionSpec(name: "a", shape: .fit(longSide: 100))])

    /// Renders a photo into `output`, and another one into an ordinary file.
    private func render(into output: ChangedOutput) async throws -> (error: (any Error)?, started: Int) {
        let pool = RendererPool(
            executable: rendererPath!, size: 1, limits: .patient, retirement: RendererPool.Retirement(.pool))
        let input = ScratchFile(PhotoFixture.jpeg(width: 200, height: 100))
        var found: (any Error)?
        do {
            let verdict = try await pool.render(input: input.descriptor, into: [output], recipe: Self.recipe)
            guard case .accepted = verdict else { throw DiskFault() }
        } catch { found = error }
        let plain = ChangedOutput { _ in }
        let next = try await pool.render(input: input.descriptor, into: [plain], recipe: Self.recipe)
        guard case .accepted = next else {
            Issue.record("the next photo is refused: \(next)")
            return (found, pool.statistics.started)
        }
        #expect(plain.lookCount == 1)
        await pool.shutdown()
        return (found, pool.statistics.started)
    }

    @Test func isLookedAtOnce() async throws {
        let output = ChangedOutput { _ in }
        let result = try await render(into: output)
        #expect(result.error == nil && result.started == 1)
        #expect(output.lookCount == 1)
    }

    @Test("is not published if it has more than pixels, and its renderer is not used again")
    func metadata() async throws {
        let result = try await render(
            into: ChangedOutput { bytes in
                // The marker after the start of the image: APP1 instead of JFIF.
                bytes[3] = 0xE1
            })
        #expect((result.error as? RendererError)?.code == .unsafeOutput)
        #expect(result.started == 2)
    }

    @Test("is not published if its size differs from the report", arguments: [true, false])
    func anotherSize(isLonger: Bool) async throws {
        let result = try await render(
            into: ChangedOutput { bytes in if isLonger { bytes.append(0) } else { bytes.removeLast() } })
        #expect((result.error as? RendererError)?.code == .protocolViolation)
        #expect(result.started == 2)
    }

    @Test("is not published if it is not the picture that was reported")
    func anotherPicture() async throws {
        let result = try await render(
            into: ChangedOutput { bytes in
                // The frame header has the height and the width.
                let frame = try #require(
                    bytes.indices.dropLast(8).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
                bytes[frame + 6] += 1
            })
        #expect((result.error as? RendererError)?.code == .protocolViolation)
        #expect(result.started == 2)
    }

    @Test("keeps its own error if it cannot be read")
    func fault() async throws {
        let result = try await render(into: ChangedOutput { _ in throw DiskFault() })
        #expect(result.error is DiskFault)
    }
}
