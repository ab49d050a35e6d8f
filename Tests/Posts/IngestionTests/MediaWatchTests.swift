import MediaStore
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Ingestion

@Suite("A watch of the media store", .timeLimit(.minutes(5)))
struct MediaWatchTests {
    @Test("says what is wrong, also that a disk does not respond, until it is right again")
    func faults() async throws {
        try await withTemporaryDirectory { (root: String) async throws -> Void in
            let identity = try await LocalMediaStore(location: root) { $0 }.mark()
            let recorded = Mutex("0123456789abcdef")
            let (gate, open) = AsyncStream<Void>.makeStream()
            let isShut = Mutex(false)
            let media = try LocalMediaStore(location: root) { _ in
                if isShut.withLock({ $0 }) { for await _ in gate { break } }
                return recorded.withLock { $0 }
            }
            let watch = MediaWatch(media, patience: .milliseconds(1), log: .silent)
            #expect(watch.fault == nil)
            await watch.look()
            #expect(watch.fault?.contains("the media store \(identity)") == true)
            isShut.withLock { $0 = true }
            async let looking: Void = watch.look()
            while watch.fault?.contains("does not respond") != true {
                try await Task.sleep(for: .milliseconds(1))
            }
            recorded.withLock { $0 = identity }
            open.yield()
            await looking
            #expect(watch.fault == nil)
        }
    }
}
