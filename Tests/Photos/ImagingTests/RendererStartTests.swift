import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// No start may take as long as `patience`: a renderer that has ended is noticed by that, not by its deadline.
@Suite("A renderer that cannot start", .computing, .timeLimit(.minutes(15)))
struct RendererStartTests {
    private static let patience = 3600.0

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Nil for a program that does not exist.
        var contents: [UInt8]?
        var mode: mode_t = 0o700
        /// What the error must say, next to the program's path.
        let says: [String]

        init(_ name: String, script: String, says: String...) {
            testDescription = name
            contents = Array("#!/bin/sh\n\(script)\n".utf8)
            self.says = says
        }

        init(_ name: String, contents: [UInt8]?, mode: mode_t = 0o700, says: String...) {
            testDescription = name
            self.contents = contents
            self.mode = mode
            self.says = says
        }
    }

    private static let cases = [
        Case("missing", contents: nil, says: "No such file", "DARKROOM_RENDERER"),
        Case(
            "not executable", contents: Array("#!/bin/sh\n".utf8), mode: 0o600, says: "Permission denied",
            "chmod"),
        Case("garbage", contents: [0, 1, 2, 3, 255], says: "Exec format error", "not a program"),
        Case("of another machine", contents: foreignProgram, says: "install"),
        Case(
            "without a library",
            script: "echo 'error while loading shared libraries: libvips.so.42' >&2; exit 127",
            says: "exited with status 127", "libvips.so.42", "ldd "),
        Case(
            "ends at once", script: "echo 'no memory' >&2; exit 1", says: "exited with status 1", "no memory"),
        Case("is killed at once", script: "kill -9 $$", says: "killed by signal 9"),
        Case(
            "leaves another process behind", script: "sleep 30 & echo gone >&2; exit 4",
            says: "exited with status 4", "gone"),
        Case("writes garbage", script: "printf 'not JSON' >&3; exec sleep 3600", says: "invalid"),
        Case(
            "writes a megabyte of errors",
            script: "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo; echo 'the last words' >&2; exit 3",
            says: "exited with status 3", "the last words"),
    ]

    /// A program of this machine, marked as one for a machine that does not exist.
    private static var foreignProgram: [UInt8] {
        var bytes = SharedData.contents("/bin/true") ?? []
        if bytes.count > 20 { (bytes[18], bytes[19]) = (0xFE, 0xFE) }
        return bytes
    }

    private func withProgram(
        _ contents: [UInt8]?, mode: mode_t = 0o700, _ body: (String) async throws -> Void
    )
        async throws
    {
        try await withTemporaryDirectory { directory in
            let path = directory + "/darkroom-renderer"
            if let contents { try await writeProgram(contents, to: path, mode: mode) }
            try await body(path)
        }
    }

    private func failure(_ pool: RendererPool) async throws -> RendererError? {
        await #expect(throws: RendererError.self) {
            try await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
        }
    }

    @Test("is noticed at once, with its own words and what to do", arguments: cases)
    func noticed(of program: Case) async throws {
        try await withProgram(program.contents, mode: program.mode) { (path: String) async throws -> Void in
            let pool = RendererPool(executable: path, size: 1, limits: .patient, startSeconds: Self.patience)
            let error = try #require(try await failure(pool))
            #expect(error.code == .cannotStart && !error.suspectsPhoto)
            for words in program.says + [path] { #expect(error.description.contains(words), "\(error)") }
            #expect(!error.description.contains("\n") && error.description.utf8.count < 6000)
            #expect(pool.statistics.fault != nil)
            await pool.shutdown()
        }
    }

    @Test("because it hangs is given up at its deadline")
    func hang() async throws {
        try await withProgram(Array("#!/bin/sh\nexec sleep 3600\n".utf8)) {
            (path: String) async throws -> Void in
            let pool = RendererPool(executable: path, size: 1, limits: .patient, startSeconds: 0.3)
            let error = try #require(try await failure(pool))
            #expect(error.code == .cannotStart && error.message.contains("0.3 s"), "\(error)")
            await pool.shutdown()
        }
    }

    @Test("does not keep the pool from shutting down, nor its photo from being cancelled")
    func shutdown() async throws {
        try await withProgram(Array("#!/bin/sh\nexec sleep 3600\n".utf8)) {
            (path: String) async throws -> Void in
            let pool = RendererPool(executable: path, size: 2, limits: .patient, startSeconds: Self.patience)
            let file = ScratchFile(PhotoFixture.jpeg(width: 16, height: 16))
            let photo = Task {
                try await pool.render(input: file.descriptor, outputs: [], recipe: .standard)
            }
            photo.cancel()
            await #expect(throws: CancellationError.self) { try await photo.value }
            await pool.shutdown()
        }
    }

    @Test("costs no photo while another renderer works")
    func other() async throws {
        // The first start gets the directory and is a renderer; all others hang.
        let script =
            "#!/bin/sh\nmkdir \"$0.taken\" 2>/dev/null && exec '\(rendererPath!)' \"$@\"\nexec sleep 3600\n"
        try await withProgram(Array(script.utf8)) { (path: String) async throws -> Void in
            let pool = RendererPool(executable: path, size: 2, limits: .patient, startSeconds: Self.patience)
            for _ in 0..<5 {
                let photo = try await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
                #expect(photo.rejection == nil)
            }
            #expect(pool.statistics.fault == nil && pool.statistics.zygotes.count <= 2)
            await pool.shutdown()
        }
    }

    @Test("is told after each try, and photos are rendered as soon as the program is there")
    func recovery() async throws {
        try await withProgram(nil) { (path: String) async throws -> Void in
            let pool = RendererPool(executable: path, size: 2, limits: .patient)
            for _ in 0..<3 { _ = try await failure(pool) }
            try #require(symlink(rendererPath!, path) == 0)
            var news = pool.changes.makeAsyncIterator()
            guard case .unavailable(let error) = await news.next() else {
                return #expect(Bool(false), "it was missing")
            }
            #expect(error.message.contains(path))
            while case .unavailable = try #require(await news.next()) {}
            #expect(pool.statistics.fault == nil)
            let photo = try await render(PhotoFixture.jpeg(width: 16, height: 16), pool: pool)
            #expect(photo.rejection == nil)
            await pool.shutdown()
        }
    }
}
