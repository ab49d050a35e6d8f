import ChildProcess
import FoundationEssentials
import Gazetteer
import Glibc
import Ingestion
import JobQueue
import JobStore
import Postgres
import Synchronization
import Telemetry
import TestKit
import Testing

@Suite("Replacing the gazetteer of a running worker", .timeLimit(.minutes(15)))
struct GazetteerWatchTests {
    @Test("takes effect from then on unless the new file is damaged, and loses no job")
    func worker() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let index = darkroom.root + "/gazetteer.drg"
            let old = try Gazetteer(path: index).checksum
            try await WatchedWorker.with(darkroom) { worker in
                let store = darkroom.database.store
                /// Publishes a photo and returns the name of its place.
                func name(_ seed: Int) async throws -> String? {
                    let photo = PhotoFixture.jpeg(latitude: 47.61, longitude: -122.33, seed: seed)
                    let path = try darkroom.write(photo, to: "\(seed).jpg")
                    let enqueued = try #require(try await darkroom.json("enqueue", path).first)
                    let job = JobID(rawValue: Int64(try #require(enqueued.number("job_id"))))
                    try await until { try await store.job(job)?.state == .succeeded }
                    return try await darkroom.json("posts", "list", "--limit", "1").first?
                        .string("place", "name")
                }
                func events(_ event: String) throws -> [JSONObject] {
                    let lines = worker.log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    return try JSONObject.lines(lines.joined(separator: "\n")).filter {
                        $0.string("event") == event
                    }
                }
                func attributions() async throws -> [String]? {
                    try await darkroom.database.pool.query(
                        "select attributions from darkroom.posting_rules()")[0]
                        .decode("attributions")
                }
                #expect(try await name(1) == "Seattle")
                #expect(try await attributions() == ["Place data © GeoNames, CC BY 4.0."])
                #expect(try events("gazetteer.opened").map { $0.string("checksum") } == [old])

                let sources = [("cities500.txt", "places", "Ann"), ("countryInfo.txt", "countries", "Bea")]
                    .map { "\($0)\t\($1)\t\t\t\t\t© \($2)\n" }
                _ = try darkroom.write(Array(sources.joined().utf8), to: "sources.tsv")
                try await darkroom.rebuildGazetteer { $0.replacing("Seattle", with: "New Seattle") }
                let new = try Gazetteer(path: index).checksum
                // A photo uploaded meanwhile gets one of the two names.
                #expect(["Seattle", "New Seattle"].contains(try #require(try await name(2))))
                try await until { try !events("gazetteer.replaced").isEmpty }
                #expect(try events("gazetteer.replaced").map { $0.string("checksum") } == [new])
                #expect(try await name(3) == "New Seattle")
                try await until { try await attributions() == ["© Bea", "© Ann"] }

                // In place, as by a copy that is under way.
                let size = try #require(FileManager.default.contents(atPath: index)).count
                try #require(truncate(index, size / 2) == 0)
                try await until { try !events("gazetteer.refused").isEmpty }
                #expect(try events("gazetteer.refused").map { $0.string("in_use") } == [new])
                #expect(try events("gazetteer.refused").map { $0.string("level") } == ["error"])
                #expect(try await name(4) == "New Seattle")
                let samples = WatchedWorker.samples(try await worker.get("/metrics").body)
                #expect(samples[#"darkroom_gazetteer_replacements_total{result="used"}"#] == 1)
                #expect(samples[#"darkroom_gazetteer_replacements_total{result="refused"}"#] == 1)
                #expect(samples.keys.filter { $0.hasPrefix("darkroom_gazetteer_info") }.count == 1)
                #expect(samples.keys.contains { $0.contains("checksum=\"\(new)\"") })
                worker.process.send(SIGTERM)
                #expect(try await worker.process.end() == .exited(0))
            }
            #expect(try await darkroom.json("posts", "list").count == 4)
        }
    }

    @Test("is detected at the clock's intervals")
    func clock() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let handle = try GazetteerHandle(path: darkroom.root + "/gazetteer.drg")
            let old = handle.current.checksum
            let noted = Mutex<[String]>([])
            let watch = GazetteerWatch(handle, metrics: .unexposed(), log: .silent) { gazetteer, isFirst in
                let times = noted.withLock { noted in
                    noted.append("\(gazetteer.checksum) \(isFirst)")
                    return noted.count
                }
                if times <= 2 { throw CancellationError() }
            }
            let clock = ManualClock()
            let running = Task { await watch.run(every: .seconds(5), clock: clock) }
            try await until { clock.sleepers == 1 }
            try await darkroom.rebuildGazetteer { $0.replacing("Seattle", with: "New Seattle") }
            clock.advance(by: .seconds(4))
            #expect(clock.sleepers == 1, "not due yet")
            #expect(handle.current.checksum == old)
            clock.advance(by: .seconds(1))
            try await until { handle.current.checksum != old }
            // Noting it failed twice. It is tried again until it succeeds, and then no more.
            for _ in 0..<3 {
                try await until { clock.sleepers == 1 }
                clock.advance(by: .seconds(5))
            }
            try await until { clock.sleepers == 1 }
            let new = handle.current.checksum
            #expect(noted.withLock { $0 } == ["\(old) true", "\(new) true", "\(new) true"])
            running.cancel()
            await running.value
        }
    }
}

/// A clock that the test advances.
private final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var time = Swift.Duration.zero
        func advanced(by duration: Swift.Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private struct State {
        var now = Instant()
        var count = 0
        var sleepers: [Int: (until: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock(\.now) }
    let minimumResolution = Swift.Duration.zero
    var sleepers: Int { state.withLock(\.sleepers.count) }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    guard !Task.isCancelled, state.now < deadline else { return true }
                    state.sleepers[number] = (deadline, continuation)
                    return false
                }
                if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Swift.Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.map(\.value.wake)
        }
        for wake in due { wake.resume() }
    }
}
