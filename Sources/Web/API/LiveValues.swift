import HTTPServer
import Postgres
import Synchronization

/// Values in the database that clients watch, such as the states of uploads: each change is sent as an event.
///
/// One task asks for all watched values in one statement: when something has happened, as PostgreSQL notifies, and every
/// two seconds in any case, because a notification can be lost (less often if reading all takes long). While nobody watches, nothing is asked.
final class LiveValues<Key: Hashable & Sendable>: Sendable {
    struct Value: Sendable, Hashable {
        let json: String
        /// Nothing follows.
        let isFinal: Bool
    }

    private struct Watch {
        let key: Key
        let stream: HTTPEventStream
        var last: Value?
        /// Whether its value has not been read since it began.
        var isNew = true
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var next = 0
        var task: Task<Void, Never>?
        /// Whether something may have happened since the values were read.
        var isStale = false
        var hasNew = false
        var waiter: CheckedContinuation<Void, Never>?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let event: String
    private let interval: Duration
    private let read: @Sendable ([Key]) async throws -> [Key: Value]

    /// The most values of one statement.
    private static var batch: Int { 1000 }

    init(
        event: String, interval: Duration = .seconds(2),
        read: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) {
        self.event = event
        self.interval = interval
        self.read = read
    }

    /// A stream that begins with the present value.
    func watch(_ key: Key, present: Value?) -> HTTPEventStream {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let stream = HTTPEventStream { [weak self] in self?.forget(number) }
        if let present { stream.send(event: event, data: present.json) }
        if present?.isFinal ?? false {
            stream.close()
            return stream
        }
        state.withLock { state in
            guard !state.isStopped else { return stream.close() }
            state.watches[number] = Watch(key: key, stream: stream, last: present)
            state.hasNew = true
            state.waiter.take()?.resume()
            if state.task == nil { state.task = Task { [weak self] in await self?.follow() } }
        }
        return stream
    }

    /// Something has happened that may have changed a value.
    func wake() {
        state.withLock { state in
            guard !state.watches.isEmpty else { return }
            state.isStale = true
            state.waiter.take()?.resume()
        }
    }

    func stop() {
        let (task, streams) = state.withLock { state in
            state.isStopped = true
            state.waiter.take()?.resume()
            return (state.task, state.watches.values.map(\.stream))
        }
        for stream in streams { stream.close() }
        task?.cancel()
    }

    private func forget(_ number: Int) { state.withLock { _ = $0.watches.removeValue(forKey: number) } }

    private func follow() async {
        var beat = ContinuousClock.now + .seconds(15)
        var due = ContinuousClock.now
        while !Task.isCancelled {
            let began = ContinuousClock.now
            let isDue = began >= due
            let (watches, isWhole) = state.withLock { state -> ([Int: Watch]?, Bool) in
                if state.watches.isEmpty {
                    state.task = nil
                    return (nil, false)
                }
                defer {
                    state.hasNew = false
                    state.isStale = false
                    for number in state.watches.keys { state.watches[number]?.isNew = false }
                }
                // One that has just begun is no reason to read the others again.
                let isWhole = isDue || state.isStale
                return (isWhole ? state.watches : state.watches.filter(\.value.isNew), isWhole)
            }
            guard let watches else { return }
            await send(watches)
            // Very many take long to read: what is only a precaution takes a twentieth of the time at most.
            if isWhole { due = .now + max(interval, (.now - began) * 20) }
            if ContinuousClock.now >= beat {
                for watch in state.withLock({ Array($0.watches.values) }) { watch.stream.beat() }
                beat = .now + .seconds(15)
            }
            await pause(until: due)
        }
    }

    private func send(_ watches: [Int: Watch]) async {
        let keys = Array(Set(watches.values.map(\.key)))
        var values: [Key: Value] = [:]
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            // What could not be read is read again after a while; the streams stay open.
            guard let part = try? await read(Array(keys[start..<min(start + Self.batch, keys.count)])) else {
                return
            }
            values.merge(part) { first, _ in first }
        }
        for (number, watch) in watches {
            guard let value = values[watch.key], value != watch.last else { continue }
            watch.stream.send(event: event, data: value.json)
            state.withLock { $0.watches[number]?.last = value }
            if value.isFinal { watch.stream.close() }
        }
    }

    /// Until something may have happened, or all values are to be read in any case.
    private func pause(until due: ContinuousClock.Instant) async {
        let timer = Task {
            try await Task.sleep(until: due, clock: .continuous)
            state.withLock { $0.waiter.take() }?.resume()
        }
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.isStale || state.hasNew || state.isStopped || .now >= due {
                    return continuation.resume()
                }
                state.waiter = continuation
            }
        }
        timer.cancel()
        // Many things happen at once: they are read together.
        try? await Task.sleep(for: .milliseconds(50))
    }
}
