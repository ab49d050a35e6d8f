import JobQueue
import Testing

@testable import Worker

@Suite("The watch over other workers")
struct LivenessWatchTests {
    static let start = ContinuousClock.now
    static let (a, b) = (WorkerID(rawValue: 1), WorkerID(rawValue: 2))

    static func watch() -> LivenessWatch { LivenessWatch(limit: .seconds(12), longestBlink: .seconds(6)) }

    @Test("finds a worker whose heartbeats stand still, at the first look after 12 s, whatever the pace of the looks")
    func finds() {
        for pace in stride(from: 0.25, through: 6, by: 0.25) {
            var watch = Self.watch()
            var time = 0.0
            while time < 40 {
                let moment = Self.start + .seconds(time)
                watch.look(at: [Self.a: 7, Self.b: Int64(time * 10)], asked: moment, answered: moment)
                #expect(watch.dead == (time >= 12 ? [Self.a: 7] : [:]), "after \(time) s at a pace of \(pace) s")
                time += pace
            }
        }
    }

    @Test("counts from the answer of the first look to the question of the last one")
    func slowAnswers() {
        var watch = Self.watch()
        for second in stride(from: 0.0, through: 16, by: 4) {
            let asked = Self.start + .seconds(second)
            watch.look(at: [Self.a: 7], asked: asked, answered: asked + .seconds(3))
            #expect(watch.dead.isEmpty == (second < 16), "asked after \(second) s; known since 3 s")
        }
    }

    @Test("holds nobody dead after it could not look for a while: the gap may have kept the others too")
    func gap() {
        for gap in stride(from: 0.5, through: 30, by: 0.5) {
            var watch = Self.watch()
            var now = Self.start
            for _ in 0..<3 {
                watch.look(at: [Self.a: 7], asked: now, answered: now)
                now += .seconds(2)
            }
            now += .seconds(gap)
            watch.look(at: [Self.a: 7], asked: now, answered: now)
            #expect(watch.dead.isEmpty, "a gap of \(gap) s")
            // The worker has 12 s from here to be heard again.
            for second in 1..<12 {
                let moment = now + .seconds(Double(second))
                watch.look(at: [Self.a: second < 11 ? 7 : 8], asked: moment, answered: moment)
                if gap > 4 { #expect(watch.dead.isEmpty, "\(second) s after a gap of \(gap) s") }
            }
        }
    }

    @Test("sees any change of the number as life, also a smaller one after the server lost the last")
    func anyChange() {
        var watch = Self.watch()
        var number: Int64 = 100
        for second in stride(from: 0.0, through: 60, by: 2) {
            let moment = Self.start + .seconds(second)
            if Int(second) % 10 == 0 { number -= 1 }
            watch.look(at: [Self.a: number], asked: moment, answered: moment)
            #expect(watch.dead.isEmpty)
        }
    }

    @Test("forgets a worker that signed off")
    func gone() {
        var watch = Self.watch()
        watch.look(at: [Self.a: 1], asked: Self.start, answered: Self.start)
        for second in stride(from: 2.0, through: 20, by: 2) {
            let moment = Self.start + .seconds(second)
            watch.look(at: [:], asked: moment, answered: moment)
            #expect(watch.dead.isEmpty)
        }
    }
}

@Suite("A worker's share of the connections")
struct ConnectionShareTests {
    @Test("fits every fleet to every server, with at least one for work")
    func fits() {
        for server in stride(from: 10, through: 500, by: 7) {
            for fleet in 1...300 {
                for most in [3, 4, 10] {
                    let share = ConnectionShare(most: most, server: server, fleet: fleet)
                    let kept = (share.keepsHeartbeat ? 1 : 0) + (share.listens ? 1 : 0)
                        + (share.idleLimit > .zero ? share.pool : 0)
                    #expect(kept * fleet <= server, "\(fleet) workers of \(most) on \(server)")
                    #expect(share.pool >= 1 && kept <= most)
                }
            }
        }
    }

    @Test("is all that a worker may have while the fleet is small")
    func small() {
        let share = ConnectionShare(most: 4, server: 97, fleet: 10)
        #expect(share.pool == 2 && share.listens && share.keepsHeartbeat)
    }
}
