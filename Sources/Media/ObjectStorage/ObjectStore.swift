import Digests
import Glibc

/// A client of an object store that speaks S3's protocol.
///
/// All keys are below the location's prefix. Any number of tasks may use one client at once: it has one thread, which keeps
/// connections open. Bodies are streamed from and to open files; the client's memory does not grow with them.
///
/// Every method throws ``ObjectStoreError``, or `CancellationError` if its task is cancelled; it then no longer uses the
/// file that it was given.
package final class ObjectStore: Sendable {
    package struct Configuration: Sendable {
        package var limits = TransferLimits()
        package var policy = TryPolicy()
        /// What is larger is stored in parts, each of at least this size; in bytes, 5 MiB to 5 GiB.
        package var partSize: Int64 = 32 << 20
        /// A file of certificates to trust instead of the system's.
        package var certificates: String?
        /// Called after each try, on any thread; it must not block.
        package var report: @Sendable (TryReport) -> Void = { _ in }
        /// This machine's clock, in seconds since 1970.
        package var now: @Sendable () -> Int = { Int(time(nil)) }

        package init() {}
    }

    package let location: ObjectStoreLocation
    let credentials: CredentialSource
    let configuration: Configuration
    let thread: TransferThread

    package init(
        _ location: ObjectStoreLocation, credentials: CredentialSource,
        configuration: Configuration = Configuration()
    ) throws(ObjectStoreError) {
        self.location = location
        self.credentials = credentials
        self.configuration = configuration
        thread = try TransferThread()
    }

    deinit { thread.stop() }
}

/// A request to the store, before it is signed.
struct StoreRequest: Sendable {
    var method: TransferCall.Method
    /// Nil for the bucket itself.
    var key: ObjectKey?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body = TransferCall.Body.none
    /// Of the body.
    var sha256 = SHA256Digest(hashing: [])
    var sink = TransferCall.Sink.memory(limit: 8 << 20)
    /// Whether a new connection is made for it, past a proxy or server that an open one leads to.
    var isFresh = false
    /// The name of the XML document that tells success: a reply of status 200 may still be an error.
    var root: String?

    /// For messages.
    var operation: String { "\(method.rawValue) \(key?.text.printable ?? "the bucket")" }
}

struct StoreReply: Sendable {
    var transfer: TransferReply
    /// The document that was asked for.
    var root: XMLNode

    func header(_ name: String) -> String? { transfer.headers[name] }

    /// When the store replied, by its own clock, in seconds since 1970.
    var clock: Int? { header("date").flatMap(StoreTime.seconds(http:)) }
}

extension ObjectStore {
    /// Sends `request` until there is an answer that another try would not change.
    func send(_ request: StoreRequest) async throws -> StoreReply {
        let start = ContinuousClock.now
        var number = 0
        var hasNewKeys = false
        while true {
            number += 1
            let began = ContinuousClock.now
            let result = try await attempt(request)
            var error = result.error
            error?.tries = number
            var pause: Duration?
            if let error, error.isPassing {
                pause = configuration.policy.pause(
                    afterTry: number, elapsed: start.duration(to: .now))
            }
            configuration.report(
                TryReport(
                    method: request.method.rawValue, number: number, status: result.reply?.transfer.status,
                    error: error, pause: pause, duration: began.duration(to: .now),
                    bytesSent: request.body.count, bytesReceived: result.reply?.transfer.received ?? 0,
                    connections: result.reply?.transfer.connections ?? 0))
            guard let error else { return result.reply! }
            if let pause {
                try await Task.sleep(for: pause)
                continue
            }
            // The keys may have been changed where they came from.
            guard error.concernsKeys, !hasNewKeys, let keys = result.keys,
                await credentials.replaced(keys, over: thread, now: configuration.now())
            else { throw error }
            hasNewKeys = true
        }
    }

    /// A reply, an error, or an error with its reply.
    private struct Attempt {
        var reply: StoreReply?
        var error: ObjectStoreError?
        /// What the store was asked with.
        var keys: StoreCredentials?
    }

    private func attempt(_ request: StoreRequest) async throws -> Attempt {
        let keys: StoreCredentials
        do throws(ObjectStoreError) {
            keys = try await credentials.current(over: thread, now: configuration.now())
        } catch {
            return Attempt(error: error)
        }
        let signed = sign(request, with: keys)
        do {
            let transfer = try await thread.run(signed.call)
            var reply = StoreReply(transfer: transfer, root: XMLNode(name: ""))
            let isKnown = request.root.map { root in
                reply.root = XMLNode.parse(transfer.body) ?? XMLNode(name: "")
                return reply.root.name == root
            }
            if transfer.isSuccess, isKnown ?? true { return Attempt(reply: reply) }
            let error = ObjectStoreError(
                transfer, to: request, location: location, signedAt: signed.time)
            return Attempt(reply: reply, error: error, keys: keys)
        } catch let fault as TransferFault {
            return Attempt(
                error: ObjectStoreError(
                    fault, operation: request.operation, location: location, limits: configuration.limits,
                    sink: request.sink))
        }
    }

    private func sign(
        _ request: StoreRequest, with keys: StoreCredentials
    ) -> (call: TransferCall, time: Int) {
        let time = configuration.now()
        let signature = SignatureV4(credentials: keys, region: location.region, time: time)
        let path = location.path(of: request.key.map { location.prefix + $0.text })
        let headers = signature.headers(
            signing: SignatureV4.Request(
                method: request.method.rawValue, path: path, query: request.query,
                headers: request.headers + [
                    ("host", location.host), ("x-amz-content-sha256", request.sha256.hex),
                ],
                payload: request.sha256.hex))
        let call = TransferCall(
            method: request.method,
            url: location.url(path: path, query: SignatureV4.canonicalQuery(request.query)),
            headers: headers, body: request.body, sink: request.sink, limits: configuration.limits,
            usesProxy: !location.endpoint.isLoopback, certificates: configuration.certificates,
            isFresh: request.isFresh)
        return (call, time)
    }
}

extension String {
    /// For messages: one line, and nothing that steers a terminal.
    var printable: String { unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
}
