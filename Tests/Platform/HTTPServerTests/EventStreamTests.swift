import Glibc
import HTTPServer
import Synchronization
import TestKit
import Testing
import Threads

@Suite("Server-sent events", .timeLimit(.minutes(5)))
struct EventStreamTests {
    @Test("reach clients while they happen, and end with the stream")
    func events() async throws {
        let streams = AsyncStream<HTTPEventStream>.makeStream()
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            let stream = HTTPEventStream()
            streams.continuation.yield(stream)
            return HTTPResponse(headers: ["Content-Type": "text/event-stream"], content: .events(stream))
        }
        async let answer = HTTPAnswer.get("/", port: server.port)
        var stream: HTTPEventStream?
        for await made in streams.stream {
            stream = made
            break
        }
        stream?.send(event: "status", data: "{\"a\":1}\n{}", id: "7")
        stream?.beat()
        stream?.send(event: "status", data: String(repeating: "x", count: 5000))
        stream?.close()
        let text = try await answer.text
        #expect(text.contains("Content-Type: text/event-stream\r\n"))
        #expect(text.contains("id: 7\nevent: status\ndata: {\"a\":1}\ndata: {}\n\n"))
        #expect(text.hasSuffix("0\r\n\r\n"))
        await server.stop()
    }

    @Test("that nobody reads are dropped, and the stream learns that its client left")
    func drop() async throws {
        let ended = AsyncStream<Void>.makeStream()
        let streams = AsyncStream<HTTPEventStream>.makeStream()
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            let stream = HTTPEventStream { ended.continuation.yield() }
            streams.continuation.yield(stream)
            return HTTPResponse(headers: ["Content-Type": "text/event-stream"], content: .events(stream))
        }
        let descriptor = try HTTPAnswer.connected("127.0.0.1", server.port)
        let text = Array("GET / HTTP/1.1\r\nHost: t\r\n\r\n".utf8)
        #expect(send(descriptor, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        for await stream in streams.stream {
            close(descriptor)
            while stream.isOpen {
                stream.beat()
                try await Task.sleep(for: .milliseconds(1))
            }
            break
        }
        for await _ in ended.stream { break }
        await server.stop()
    }

    @Test("end when their client leaves, although there is nothing to send", arguments: [false, true])
    func leaving(isReset: Bool) async throws {
        let ended = AsyncStream<Void>.makeStream()
        let streams = AsyncStream<HTTPEventStream>.makeStream()
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            let stream = HTTPEventStream { ended.continuation.yield() }
            streams.continuation.yield(stream)
            return HTTPResponse(headers: ["Content-Type": "text/event-stream"], content: .events(stream))
        }
        let descriptor = try HTTPAnswer.connected("127.0.0.1", server.port)
        let text = Array("GET / HTTP/1.1\r\nHost: t\r\n\r\n".utf8)
        #expect(send(descriptor, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        for await _ in streams.stream { break }
        if isReset {
            var none = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
        }
        close(descriptor)
        for await _ in ended.stream { break }
        await server.stop()
    }

    @Test("end when the server stops, although their clients ask for the next ones at once")
    func asking() async throws {
        for _ in 0..<50 {
            let made = AsyncStream<Void>.makeStream()
            let server = try HTTPServer(address: "127.0.0.1:0") { _ in
                made.continuation.yield()
                // The connection waits for its handler.
                await Task {}.value
                return HTTPResponse(
                    headers: ["Content-Type": "text/event-stream"], content: .events(HTTPEventStream()))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await onThread { try Self.askAgain(server.port) } }
                }
                var streams = made.stream.makeAsyncIterator()
                for _ in 0..<4 { _ = await streams.next() }
                await server.stop()
                try await group.waitForAll()
            }
        }
    }

    /// Asks for a stream on one connection whenever the one before has ended, until the server ends the connection.
    private static func askAgain(_ port: UInt16) throws {
        let descriptor = try HTTPAnswer.connected("127.0.0.1", port)
        defer { close(descriptor) }
        let request = Array("GET / HTTP/1.1\r\nHost: t\r\n\r\n".utf8)
        var received = [UInt8](repeating: 0, count: 4096)
        while send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count {
            var text = ""
            while !text.hasSuffix("0\r\n\r\n") {
                let count = recv(descriptor, &received, received.count, 0)
                guard count > 0 else { return }
                text += String(decoding: received[..<count], as: UTF8.self)
            }
        }
    }

    @Test("end when the server stops")
    func stop() async throws {
        let streams = AsyncStream<HTTPEventStream>.makeStream()
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            let stream = HTTPEventStream()
            streams.continuation.yield(stream)
            return HTTPResponse(headers: ["Content-Type": "text/event-stream"], content: .events(stream))
        }
        async let answer = HTTPAnswer.get("/", port: server.port)
        for await _ in streams.stream { break }
        await server.stop(grace: .zero)
        #expect(try await answer.status == 200)
    }
}
