import JobQueue
import Testing

@testable import Worker

@Suite("The claim cursor")
struct ClaimCursorTests {
    static func job(lane: Int16, slot: Int64) -> ClaimedJob {
        ClaimedJob(
            lease: Lease(job: JobID(rawValue: slot), token: ClaimToken(rawValue: 1)), kind: .noop,
            subject: 0, lane: Lane(rawValue: lane), slot: slot, attempt: 1, failures: 0, crashes: 0)
    }

    @Test("starts where the furthest claim of each lane ended two claims ago")
    func advance() {
        var cursor = ClaimCursor()
        cursor.advance(past: [
            Self.job(lane: 1, slot: 7), Self.job(lane: 2, slot: 3), Self.job(lane: 1, slot: 5),
        ])
        cursor.advance(past: [Self.job(lane: 1, slot: 6)])
        #expect(cursor.starts.isEmpty)
        cursor.advance(past: [Self.job(lane: 2, slot: 9)])
        #expect(cursor.starts == [Lane(rawValue: 1): 7, Lane(rawValue: 2): 3])
        cursor.advance(past: [])
        cursor.advance(past: [Self.job(lane: 1, slot: 12)])
        #expect(
            cursor.starts == [Lane(rawValue: 1): 7, Lane(rawValue: 2): 3], "an empty claim does not count")
        cursor.advance(past: [Self.job(lane: 1, slot: 13)])
        #expect(cursor.starts == [Lane(rawValue: 1): 7, Lane(rawValue: 2): 9])
    }

    @Test("sweeps at first, then for at most a twentieth of the time")
    func budget() {
        var cursor = ClaimCursor()
        let start = ContinuousClock.now
        #expect(cursor.isSweepDue(foundAll: true, now: start))
        cursor.noteSweep(began: start, ended: start + .milliseconds(200))
        let ended = start + .milliseconds(200)
        #expect(!cursor.isSweepDue(foundAll: false, now: ended + .milliseconds(3999)))
        #expect(cursor.isSweepDue(foundAll: false, now: ended + .milliseconds(4000)))
        #expect(cursor.nextSweep(foundAll: false) == ended + .seconds(4))
    }

    @Test("a slow sweep delays the next one by seconds, not minutes")
    func slow() {
        var cursor = ClaimCursor()
        let start = ContinuousClock.now
        cursor.noteSweep(began: start, ended: start + .seconds(4))
        #expect(cursor.nextSweep(foundAll: false) == start + .seconds(4 + 5))
        #expect(cursor.nextSweep(foundAll: true) == start + .seconds(4 + 30))
    }

    @Test("sweeps a short queue at once when it finds nothing, and rarely while it finds enough")
    func cheap() {
        var cursor = ClaimCursor()
        let start = ContinuousClock.now
        cursor.noteSweep(began: start, ended: start + .microseconds(100))
        #expect(cursor.isSweepDue(foundAll: false, now: start + .milliseconds(3)))
        #expect(!cursor.isSweepDue(foundAll: true, now: start + .milliseconds(200)))
        #expect(cursor.isSweepDue(foundAll: true, now: start + .milliseconds(251)))
    }
}
