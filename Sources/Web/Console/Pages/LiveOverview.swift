import FoundationEssentials
import HTTPServer
import JobStore
import Pages
import Synchronization
import Telemetry

/// Sends the figures of the overview to everyone who looks at it. They are read once for all, and not while nobody looks.
final class LiveOverview: Sendable {
    private struct State {
        var streams: [ObjectIdentifier: (stream: HTTPEventStream, until: ContinuousClock.Instant)] = [:]
        var reading: Task<Void, Never>?
    }

    private let site: ConsoleSite
    private let state = Mutex(State())
    private static let interval = Duration.seconds(2)
    /// Browsers connect again by themselves. Then it is checked whether the session has ended.
    private static let longest = Duration.seconds(10)

    init(_ site: ConsoleSite) { self.site = site }

    func stream() -> HTTPResponse {
        let stream = HTTPEventStream()
        state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = (stream, .now + Self.longest)
            if state.reading == nil { state.reading = Task { [weak self] in await self?.read() } }
        }
        return HTTPResponse(
            headers: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
            ], content: .events(stream))
    }

    func stop() {
        let streams = state.withLock { state in
            state.reading?.cancel()
            defer { state.streams = [:] }
            return state.streams.values.map(\.stream)
        }
        for stream in streams { stream.close() }
    }

    private func read() async {
        var earlier: QueueCounters?
        while !Task.isCancelled {
            let begun = ContinuousClock.now
            do {
                let figures = try await OverviewFigures.read(site, since: earlier)
                earlier = figures.counters
                send(figures.markup.text, "figures")
            } catch {
                send("The figures are not up to date: the database does not respond.", "fault")
                site.log.warning("console.no_figures", ["error": .init("\(error)")])
            }
            // A database that takes long is asked less often.
            let pause = max(Self.interval, (ContinuousClock.now - begun) * 4)
            guard (try? await Task.sleep(for: pause)) != nil, goesOn() else { return }
        }
    }

    private func send(_ data: String, _ name: String) {
        for stream in state.withLock({ $0.streams.values.map(\.stream) }) {
            stream.send(event: name, data: data)
        }
    }

    /// Ends the streams whose time is over. False if nobody looks any more.
    private func goesOn() -> Bool {
        let now = ContinuousClock.now
        let (over, goesOn) = state.withLock { state in
            let over = state.streams.values.filter { $0.until < now }.map(\.stream)
            state.streams = state.streams.filter { $1.until >= now && $1.stream.isOpen }
            if state.streams.isEmpty { state.reading = nil }
            return (over, !state.streams.isEmpty)
        }
        for stream in over { stream.close() }
        return goesOn
    }
}
