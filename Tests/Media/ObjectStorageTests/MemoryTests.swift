import ChildProcess
import Glibc
import TestKit
import Testing

@testable import ObjectStorage

@Suite("The client's memory", .realStore, .timeLimit(.minutes(15)))
struct MemoryTests {
    @Test("does not grow with an object of 128 MB", arguments: [Int64(32 << 20), 256 << 20].every(2))
    func constant(partSize: Int64) async throws {
        let test = try await TestStore.make()
        var child = ChildProgram(
            Checkout.programs + "/StoreCopy",
            [test.store.location.description, "\(128 << 20)", "\(partSize)"])
        child.environment.merge(TestBucket.environment) { $1 }
        let output = try await child.runSuccessfully().standardOutput
        let figures = output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(figures.count == 2)
        #expect(figures[1] - figures[0] < 8 << 10, "grew from \(figures[0]) to \(figures[1]) KiB")
    }
}
