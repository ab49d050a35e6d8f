import ChildProcess
import Glibc
import TestKit
import Testing

@testable import ObjectStorage

@Suite("The client's memory", .realStore, .timeLimit(.minutes(15)))
struct MemoryTests {
    @Test("does not grow with an object of 128 MB", arguments: [Int64(256 << 20), 32 << 20])
    func constant(partSize: Int64) async throws {
        let test = try await TestStore.make()
        var child = ChildProgram(
            Self.program, [test.store.location.description, "\(128 << 20)", "\(partSize)"])
        child.environment.merge(TestBucket.environment) { $1 }
        let output = try await child.runSuccessfully().standardOutput
        let figures = output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(figures.count == 2)
        #expect(figures[1] - figures[0] < 8 << 10, "grew from \(figures[0]) to \(figures[1]) KiB")
    }

    /// Next to the test's executable, or where the package is built.
    private static let program: String = {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        let own = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        let beside = "/" + own.split(separator: "/").dropLast().joined(separator: "/") + "/StoreCopy"
        return access(beside, X_OK) == 0 ? beside : Checkout.root + "/.build/debug/StoreCopy"
    }()
}
