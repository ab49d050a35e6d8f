import CMicroHTTPD
import Synchronization

/// One request and its response.
///
/// The library's threads call `advance` whenever they can go on; the handler runs in a task of its own, and the connection is
/// suspended while it has nothing to do but wait for it. All is decided under one lock.
final class Exchange: Sendable {
    enum Phase {
        /// The headers have arrived; the handler decides whether it wants the body.
        case headers
        case body
        /// All of the request has arrived.
        case response
        /// The library has forgotten the request.
        case over
    }

    struct State {
        var phase: Phase
        var isStarted = false
        var isSuspended = false
        var wantsBody = false
        /// What the handler has not taken yet.
        var chunk: [UInt8] = []
        var reader: CheckedContinuation<Result<[UInt8]?, HTTPBodyError>, Never>?
        var received: Int64 = 0
        var interim: String?
        var response: HTTPResponse?
        /// How much of the body was dropped since it was refused; nil if it was not.
        var dropped: Int?
        var task: Task<Void, Never>?
        var stream: HTTPEventStream?
    }

    /// How much of a body waits for the handler, in bytes. The library offers less at once.
    static let bodyLimit = 64 * 1024
    /// How much is read of a body that was refused, so that the client sees why before the connection ends; in bytes.
    static let dropLimit = 1024 * 1024

    let connection: Connection
    let watch: ConnectionWatch?
    private let handler: HTTPServer.Handler
    private let hasBody: Bool
    let state: Mutex<State>
    /// Until its handler has been started.
    let request = Mutex<HTTPRequest?>(nil)

    init(_ connection: Connection, hasBody: Bool, handler: @escaping HTTPServer.Handler) {
        self.connection = connection
        self.hasBody = hasBody
        self.handler = handler
        watch = connection.watch
        state = Mutex(State(phase: hasBody ? .headers : .response))
    }

    // MARK: On the library's threads

    private enum Step {
        case wait
        case start
        case send(HTTPResponse)
        case refuse(HTTPResponse)
        case close
    }

    /// Goes on with the request.
    ///
    /// - Parameters:
    ///   - data: what has arrived of the body.
    ///   - size: of `data`, in bytes; 0 if nothing has arrived, which means the end once the body was wanted. Set to what was not
    ///     taken.
    func advance(_ data: UnsafePointer<CChar>?, _ size: inout Int) -> MHD_Result {
        let bytes = UnsafeRawBufferPointer(start: data, count: size)
        var rest = size
        let step = state.withLock { state in
            bytes.isEmpty ? goOn(&state) : receive(bytes, &rest, &state)
        }
        size = rest
        switch step {
        case .wait: return .YES
        case .start:
            guard let request = request.withLock({ $0.take() }) else { return .NO }
            // Begins on this thread: a handler waits sooner than it takes to wake another one.
            let task = Task.immediate { finish(await handler(request)) }
            state.withLock { if $0.phase == .over { task.cancel() } else { $0.task = task } }
            return .YES
        case .send(let response):
            watch?.awaitReading(response)
            return response.queue(on: connection)
        case .refuse(let response):
            connection.write(response.closingBytes)
            connection.endWriting()
            return .YES
        case .close: return .NO
        }
    }

    private func goOn(_ state: inout State) -> Step {
        switch state.phase {
        case .over: return .close
        case .headers where !state.isStarted, .response where !state.isStarted:
            state.isStarted = true
            suspend(&state)
            return .start
        case .headers:
            if let response = state.response.take() {
                state.phase = .response
                return .send(response)
            }
            guard state.wantsBody else { break }
            if let interim = state.interim.take() { connection.write(Array(interim.utf8)) }
            state.phase = .body
            watch?.awaitBody(received: 0)
            return .wait
        case .body where state.dropped != nil: return .close
        case .body:
            state.phase = .response
            if state.chunk.isEmpty { state.reader.take()?.resume(returning: .success(nil)) }
            fallthrough
        case .response:
            if let response = state.response.take() { return .send(response) }
        }
        suspend(&state)
        return .wait
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ rest: inout Int, _ state: inout State) -> Step {
        guard state.phase == .body else { return .close }
        if let dropped = state.dropped {
            state.dropped = dropped + bytes.count
            rest = 0
            return dropped < Self.dropLimit ? .wait : .close
        }
        if let response = state.response.take() {
            state.dropped = 0
            rest = 0
            return .refuse(response)
        }
        // All or nothing: the library offers a rest again only when more bytes arrive or the connection was suspended.
        guard state.chunk.isEmpty || state.chunk.count + bytes.count <= Self.bodyLimit else {
            suspend(&state)
            return .wait
        }
        state.chunk += bytes
        state.received += Int64(bytes.count)
        rest = 0
        if let reader = state.reader.take() {
            reader.resume(returning: .success(state.chunk))
            state.chunk = []
        }
        watch?.awaitBody(received: state.received)
        return .wait
    }

    private func suspend(_ state: inout State) {
        state.isSuspended = true
        connection.suspend()
        if state.phase == .body { watch?.pauseBody() } else { watch?.rest() }
    }

    /// The library is done with the request.
    func end() {
        let (task, reader) = state.withLock { state in
            state.phase = .over
            state.isSuspended = false
            return (state.task.take(), state.reader.take())
        }
        reader?.resume(returning: .failure(.cut))
        task?.cancel()
        watch?.awaitHeaders()
    }

    // MARK: On any thread

    /// Whether the caller must resume the connection, once it has released the lock: the library's thread takes it at once.
    private func wake(_ state: inout State) -> Bool {
        defer { state.isSuspended = false }
        return state.isSuspended
    }

    private func finish(_ response: HTTPResponse) {
        let resumes = state.withLock { state in
            guard state.phase != .over else { return false }
            state.response = response
            if case .events(let stream) = response.content { state.stream = stream }
            return wake(&state)
        }
        if resumes { connection.resume() }
    }

    /// Ends the wait of a request whose server stops.
    func cancel() { state.withLock(\.task)?.cancel() }

    func endStream() { state.withLock(\.stream)?.close() }

    func announce(_ interim: String) {
        state.withLock { state in
            if state.phase == .headers, !state.wantsBody { state.interim = interim }
        }
    }

    func makeFormReader() -> HTTPFormReader? {
        state.withLock { $0.phase == .over ? nil : HTTPFormReader(connection) }
    }

    func nextChunk() async throws(HTTPBodyError) -> [UInt8]? {
        let result: Result<[UInt8]?, HTTPBodyError> = await withCheckedContinuation { continuation in
            let resumes = state.withLock { state in
                state.wantsBody = true
                if !state.chunk.isEmpty {
                    continuation.resume(returning: .success(state.chunk))
                    state.chunk = []
                } else {
                    switch state.phase {
                    case .response: continuation.resume(returning: .success(nil))
                    case .over: continuation.resume(returning: .failure(.cut))
                    case .headers, .body: state.reader = continuation
                    }
                }
                return state.phase == .body || state.phase == .headers ? wake(&state) : false
            }
            if resumes { connection.resume() }
        }
        return try result.get()
    }
}
