import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// A sound photo is never refused because the sandbox, the memory or the disk failed.
@Suite(.computing, .timeLimit(.minutes(15))) struct FaultTests {
    /// The error of a photo that a renderer gets after the shell commands `setup`.
    private func fault(
        of photo: [UInt8], after setup: String = "", limits: RenderLimits = .patient,
        output: CInt? = nil
    ) async throws -> RendererError? {
        try await withTemporaryDirectory { (directory: String) async throws -> RendererError? in
            let program = directory + "/renderer"
            let script = "#!/bin/sh\n\(setup)\nexec '\(rendererPath!)' \"$@\"\n"
            try await writeProgram(Array(script.utf8), to: program)
            let pool = RendererPool(executable: program, size: 1, limits: limits)
            let input = ScratchFile(photo)
            let scratch = Recipe.standard.renditions.map { _ in ScratchFile() }
            let outputs = [output ?? scratch[0].descriptor] + scratch.dropFirst().map(\.descriptor)
            let error = await #expect(throws: RendererError.self) {
                let verdict = try await pool.render(
                    input: input.descriptor, outputs: outputs, recipe: .standard)
                Issue.record("\(verdict)")
            }
            let next = try? await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
            #expect(next != nil)
            await pool.shutdown()
            return error
        }
    }

    @Test("refuses a call that the decoder needs: it opens a temporary file")
    func refusedCall() async throws {
        let error = try await fault(
            of: PhotoFixture.webp(width: 400, height: 300), after: "export VIPS_DISC_THRESHOLD=1k")
        #expect(error?.code == .faulted && error?.suspectsPhoto == false)
        #expect(error?.message.contains("openat") == true, "\(error?.message ?? "")")
    }

    @Test(
        "has too little memory for the pixels",
        arguments: MatrixCell.largeKinds.every(3))
    func noMemory(kind: String) async throws {
        let cell = try #require(MatrixCell.kind(named: kind))
        var limits = RenderLimits.patient
        limits.addressSpaceBytes = 280 << 20
        limits.wallClockSeconds = 10
        let error = try await fault(of: cell.make(9000, 9000), limits: limits)
        // Some libraries abort or hang without memory. That refuses no photo either.
        switch error?.code {
        case .crashed, .exited, .deadline, .starved: break
        default:
            // There is none for a thread's stack either.
            let names = ["memory", "thread"].contains { error?.message.contains($0) == true }
            #expect(error?.code == .faulted && names, "\(error as Any)")
        }
    }

    @Test("cannot write a rendition: the disk is full, or the file is not open for writing")
    func output() async throws {
        let photo = PhotoFixture.jpeg(width: 900, height: 700)
        let full = OpenedFile("/dev/full")
        var error = try await fault(of: photo, output: full.descriptor)
        #expect(error?.code == .outputFailed && error?.suspectsPhoto == false)
        let closed = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(closed) }
        error = try await fault(of: photo, output: closed)
        #expect(error?.code == .outputFailed && error?.suspectsPhoto == false)
        // The shell's units are 512 bytes.
        error = try await fault(of: photo, after: "ulimit -f 8")
        #expect(error?.code == .outputFailed && error?.suspectsPhoto == false)
    }
}
