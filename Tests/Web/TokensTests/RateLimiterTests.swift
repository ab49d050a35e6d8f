import Testing

@testable import Tokens

@Suite(.timeLimit(.minutes(5))) struct RateLimiterTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant {
        start + .nanoseconds(Int64(seconds * 1e9))
    }

    @Test func `A burst is allowed, and then one for each interval`() {
        let limiter = RateLimiter(RateLimit(60, per: .seconds(60), burst: 3), start: start)
        for _ in 0..<3 { #expect(limiter.ask("a", at: at(0)) == .allowed) }
        #expect(limiter.ask("a", at: at(0)) == .retryAfter(seconds: 1))
        #expect(limiter.ask("b", at: at(0)) == .allowed)
        #expect(limiter.ask("a", at: at(0.999999999)) == .retryAfter(seconds: 1))
        #expect(limiter.ask("a", at: at(1)) == .allowed)
        #expect(limiter.ask("a", at: at(1)) == .retryAfter(seconds: 1))
        #expect(limiter.ask("a", at: at(3)) == .allowed)
        #expect(limiter.ask("a", at: at(3)) == .allowed)
        #expect(limiter.ask("a", at: at(3)) == .retryAfter(seconds: 1))
        // Full again, and not more than that.
        for _ in 0..<3 { #expect(limiter.ask("a", at: at(1000)) == .allowed) }
        #expect(limiter.ask("a", at: at(1000)) == .retryAfter(seconds: 1))
    }

    @Test func `A client that waits as long as it is told is allowed, and not before`() {
        let limiter = RateLimiter(RateLimit(1, per: .seconds(90)), start: start)
        #expect(limiter.ask("a", at: at(0)) == .allowed)
        #expect(limiter.ask("a", at: at(0)) == .retryAfter(seconds: 90))
        #expect(limiter.ask("a", at: at(0.5)) == .retryAfter(seconds: 90))
        #expect(limiter.ask("a", at: at(89)) == .retryAfter(seconds: 1))
        #expect(limiter.ask("a", at: at(89.9)) == .retryAfter(seconds: 1))
        #expect(limiter.ask("a", at: at(90)) == .allowed)
    }

    @Test(arguments: [(1, 1), (5, 2), (7, 20), (100, 1)])
    func `In any time no more is allowed than the burst and the rate`(count: Int, burst: Int) {
        let limiter = RateLimiter(RateLimit(count, per: .seconds(10), burst: burst), start: start)
        var generator = SystemRandomNumberGenerator()
        var (time, allowed): (Double, [Double]) = (0, [])
        for _ in 0..<5000 {
            time += Double.random(in: 0..<0.5, using: &generator)
            if limiter.ask("a", at: at(time)) == .allowed { allowed.append(time) }
        }
        for (index, first) in allowed.enumerated() where index + burst < allowed.count {
            let interval = 10 / Double(count)
            #expect(allowed[index + burst] - first >= interval - 1e-6)
        }
    }

    @Test func `A time that runs back, or lies before the start, frees nothing`() {
        let limiter = RateLimiter(RateLimit(1, per: .seconds(10)), start: start)
        #expect(limiter.ask("a", at: at(100)) == .allowed)
        #expect(limiter.ask("a", at: at(50)) == .retryAfter(seconds: 60))
        #expect(limiter.ask("b", at: at(-50)) == .allowed)
        #expect(limiter.ask("b", at: at(-45)) == .retryAfter(seconds: 5))
    }

    @Test func `Names that only look the same are limited each`() {
        let limiter = RateLimiter(RateLimit(1, per: .seconds(10)), start: start)
        for name in ["\u{e9}", "e\u{301}", ""] { #expect(limiter.ask(name, at: at(0)) == .allowed) }
        for name in ["\u{e9}", "e\u{301}", ""] { #expect(limiter.ask(name, at: at(0)) != .allowed) }
    }

    @Test func `At most as many keys are held as there may be, and a flood frees none that is used up`() {
        let limiter = RateLimiter(RateLimit(10, per: .seconds(100)), most: 1600, start: start)
        for _ in 0..<10 { #expect(limiter.ask("guilty", at: at(0)) == .allowed) }
        for index in 0..<20_000 { _ = limiter.ask("flood \(index)", at: at(1 + Double(index) / 1e6)) }
        #expect(limiter.count <= 1600 && limiter.count > 1200)
        #expect(limiter.ask("guilty", at: at(2)) == .retryAfter(seconds: 8))
        // All are full again, and are forgotten as soon as room is needed.
        for index in 0..<800 { _ = limiter.ask("later \(index)", at: at(1000)) }
        #expect(limiter.count <= 800)
        #expect(limiter.ask("guilty", at: at(1000)) == .allowed)
    }

    @Test func `Tasks at the same time get no more than one alone`() async {
        let limiter = RateLimiter(RateLimit(1000, per: .seconds(1000)), start: start)
        let moment = at(0)
        let allowed = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<1000).reduce(0) { sum, _ in
                        sum + (limiter.ask("a", at: moment) == .allowed ? 1 : 0)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(allowed == 1000)
    }
}
