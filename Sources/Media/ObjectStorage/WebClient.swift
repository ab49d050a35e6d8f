/// Plain HTTP exchanges with servers that are no stores, such as a provider of sign-ins.
package final class WebClient: Sendable {
    package struct Reply: Sendable {
        package let status: Int
        package let body: [UInt8]
    }

    private let thread: TransferThread
    /// Bytes of a reply, at most.
    private static let limit = 256 << 10

    package init() throws(ObjectStoreError) { thread = try TransferThread() }

    deinit { thread.stop() }

    /// Sends a body, or asks for a page without one.
    ///
    /// - Throws: ``WebFault`` without a reply, or `CancellationError`.
    package func send(
        _ body: [UInt8]? = nil, to url: String, headers: [(name: String, value: String)] = []
    ) async throws -> Reply {
        var call = TransferCall(method: body == nil ? .get : .post, url: url, headers: headers)
        if let body { call.body = .bytes(body) }
        call.sink = .memory(limit: Self.limit)
        call.limits = TransferLimits(connect: .seconds(5), idle: .seconds(10), whole: .seconds(15))
        do {
            let reply = try await thread.run(call)
            return Reply(status: reply.status, body: reply.body)
        } catch let fault as TransferFault {
            throw WebFault(text: fault.text.isEmpty ? "there is no reply" : fault.text)
        }
    }
}

/// Why there is no reply.
package struct WebFault: Error, CustomStringConvertible {
    package let text: String
    package var description: String { text }
}
