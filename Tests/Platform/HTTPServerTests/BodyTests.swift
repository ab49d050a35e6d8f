import Glibc
import HTTPServer
import Synchronization
import TestKit
import Testing
import Threads

@Suite("Bodies of requests", .timeLimit(.minutes(5)))
struct BodyTests {
    private static func withServer(
        _ handler: @escaping HTTPServer.Handler, limits: HTTPServer.Limits = HTTPServer.Limits(),
        _ body: (HTTPServer) async throws -> Void
    ) async throws {
        let server = try HTTPServer(address: "127.0.0.1:0", limits: limits, handler: handler)
        let result: Result<Void, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        await server.stop()
        try result.get()
    }

    /// Responds with the number of bytes and their sum.
    private static let sum: HTTPServer.Handler = { request in
        var count = 0
        var sum = 0
        do {
            while let chunk = try await request.body.next() {
                count += chunk.count
                sum = chunk.reduce(sum) { $0 &+ Int($1) }
            }
        } catch {
            return HTTPResponse(status: 400, body: "\(error)")
        }
        return HTTPResponse(body: "\(request.body.announcedBytes ?? -1) \(count) \(sum)")
    }

    @Test(
        "arrive whole, whatever their size", arguments: [1, 2, 65_535, 65_536, 65_537, 1_000_000, 5_000_003])
    func sizes(size: Int) async throws {
        try await Self.withServer(Self.sum) { server in
            let body = String(repeating: "\u{1}", count: size)
            let answer = try await HTTPAnswer.to(
                "PUT /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n\(body)",
                port: server.port)
            #expect(answer.status == 200)
            #expect(answer.body == "\(size) \(size) \(size)")
        }
    }

    @Test("arrive whole, although nothing but their bytes makes the server go on")
    func withoutTimeouts() async throws {
        var limits = HTTPServer.Limits()
        limits.idleSeconds = 0
        try await Self.withServer(Self.sum, limits: limits) { server in
            for size in stride(from: 50_000, through: 1_050_000, by: 10_007) {
                let body = String(repeating: "\u{1}", count: size)
                let answer = try await HTTPAnswer.to(
                    "PUT /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n\(body)",
                    port: server.port)
                try #require(answer.body == "\(size) \(size) \(size)")
            }
        }
    }

    @Test("arrive in chunks of unknown number")
    func chunked() async throws {
        try await Self.withServer(Self.sum) { server in
            let piece = String(repeating: "\u{1}", count: 4096)
            let body = String(repeating: "1000\r\n\(piece)\r\n", count: 100) + "0\r\n\r\n"
            let answer = try await HTTPAnswer.to(
                "PUT /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n\(body)",
                port: server.port)
            #expect(answer.body == "-1 409600 409600")
        }
    }

    @Test("leave the connection usable for the next request")
    func keepAlive() async throws {
        try await Self.withServer(Self.sum) { server in
            let first = "PUT /x HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\n\u{1}\u{1}\u{1}"
            let last = "PUT /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: 1\r\n\r\n\u{2}"
            let answer = try await HTTPAnswer.to(first + first + last, port: server.port)
            #expect(answer.text.components(of: "3 3 3") == 2)
            #expect(answer.text.hasSuffix("1 1 2"))
        }
    }

    @Test("are refused before they are sent")
    func earlyRefusal() async throws {
        let handler: HTTPServer.Handler = { _ in HTTPResponse(status: 413, body: "no") }
        try await Self.withServer(handler) { server in
            let answer = try await HTTPAnswer.to(
                "PUT /x HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 100000000\r\n\r\n",
                port: server.port)
            #expect(answer.status == 413)
            #expect(!answer.text.contains("100 Continue"))
        }
    }

    @Test("are asked for when the handler wants them, after what it has to say first")
    func expectation() async throws {
        let handler: HTTPServer.Handler = { request in
            request.body.announce(status: 104, reason: "Upload Resumption Supported", ["Location": "/there"])
            return await Self.sum(request)
        }
        try await Self.withServer(handler) { server in
            let answer = try await HTTPAnswer.to(
                "PUT /x HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n\u{1}\u{1}",
                port: server.port)
            #expect(
                answer.text.hasPrefix(
                    "HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /there\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"
                ))
            #expect(answer.text.hasSuffix("2 2 2"))
        }
    }

    @Test("are refused in the middle, and the client learns why")
    func lateRefusal() async throws {
        let handler: HTTPServer.Handler = { request in
            _ = try? await request.body.next()
            return HTTPResponse(status: 415, body: "no photo")
        }
        try await Self.withServer(handler) { server in
            let body = String(repeating: "\u{1}", count: 700_000)
            let answer = try await HTTPAnswer.to(
                "PUT /x HTTP/1.1\r\nHost: t\r\nContent-Length: 10000000\r\n\r\n\(body)", port: server.port)
            #expect(answer.status == 415)
            #expect(answer.body == "no photo")
        }
    }

    @Test("are read no faster than the handler takes them")
    func backPressure() async throws {
        let door = AsyncStream<Void>.makeStream()
        let first = AsyncStream<Void>.makeStream()
        let handler: HTTPServer.Handler = { request in
            first.continuation.yield()
            for await _ in door.stream { break }
            return await Self.sum(request)
        }
        try await Self.withServer(handler) { server in
            let descriptor = try HTTPAnswer.connected("127.0.0.1", server.port)
            defer { close(descriptor) }
            let size = 40_000_000
            let head = Array(
                "PUT /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: \(size)\r\n\r\n".utf8)
            #expect(send(descriptor, head, head.count, Int32(MSG_NOSIGNAL)) == head.count)
            for await _ in first.stream { break }
            // What the two sockets hold, and not more.
            let piece = [UInt8](repeating: 1, count: 65_536)
            var sent = 0
            while sent < size {
                let count = send(
                    descriptor, piece, min(piece.count, size - sent), Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                guard count > 0 else { break }
                sent += count
            }
            #expect(sent < size)
            door.continuation.yield()
            let rest = size - sent
            let answer = try await onThreadReading(descriptor) {
                var left = rest
                while left > 0 {
                    let count = send(descriptor, piece, min(piece.count, left), Int32(MSG_NOSIGNAL))
                    guard count > 0 else { break }
                    left -= count
                }
            }
            #expect(answer.hasSuffix("\(size) \(size) \(size)"))
        }
    }

    @Test("that are cut end with an error for the handler")
    func cut() async throws {
        let outcomes = AsyncStream<String>.makeStream()
        let handler: HTTPServer.Handler = { request in
            do {
                while try await request.body.next() != nil {}
                outcomes.continuation.yield("whole")
            } catch {
                outcomes.continuation.yield("\(error)")
            }
            return HTTPResponse(body: "")
        }
        try await Self.withServer(handler) { server in
            let descriptor = try HTTPAnswer.connected("127.0.0.1", server.port)
            let text = Array("PUT /x HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nabc".utf8)
            #expect(send(descriptor, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
            for await outcome in outcomes.stream {
                #expect(outcome == "cut")
                break
            }
        }
    }

    @Test("that are cut together with their last bytes end, although the library does not see it")
    func cutUnseen() async throws {
        let events = AsyncStream<String>.makeStream()
        let held = Pipe()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/held" {
                // Holds the library's only thread, so that it finds the bytes and the end at once.
                events.continuation.yield("held")
                held.wait()
                return HTTPResponse(body: "")
            }
            do {
                while let chunk = try await request.body.next() {
                    events.continuation.yield(String(decoding: chunk, as: UTF8.self))
                }
                events.continuation.yield("whole")
            } catch {
                events.continuation.yield("\(error)")
            }
            return HTTPResponse(body: "")
        }
        func send(_ descriptor: CInt, _ text: String) {
            #expect(Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count)
        }
        // So that no limit of time ends it.
        var limits = HTTPServer.Limits()
        limits.idleSeconds = 0
        limits.grace = .seconds(86_400)
        try await Self.withServer(handler, limits: limits) { server in
            var next = events.stream.makeAsyncIterator()
            let cut = try HTTPAnswer.connected("127.0.0.1", server.port)
            send(cut, "PUT /x HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nabc")
            #expect(await next.next() == "abc")
            let other = try HTTPAnswer.connected("127.0.0.1", server.port)
            defer { close(other) }
            send(other, "GET /held HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(await next.next() == "held")
            send(cut, "def")
            close(cut)
            held.release()
            #expect(await next.next() == "def")
            #expect(await next.next() == "cut")
        }
    }

    @Test("of forms are split into their fields")
    func forms() async throws {
        let handler: HTTPServer.Handler = { request in
            guard let reader = request.body.formReader() else { return .notFound }
            var fields: [String: String] = [:]
            func note(_ parts: [HTTPFormPart]?) {
                for part in parts ?? [] {
                    fields[part.name, default: ""] += String(decoding: part.bytes, as: UTF8.self)
                }
            }
            while let chunk = try? await request.body.next() { note(reader.parse(chunk)) }
            note(reader.finish())
            return HTTPResponse(
                body: fields.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ";"))
        }
        try await Self.withServer(handler) { server in
            let form =
                "--xyzzy\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nAn ö\r\n"
                + "--xyzzy\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n"
                + "Content-Type: image/jpeg\r\n\r\n12345\r\n--xyzzy--\r\n"
            let answer = try await HTTPAnswer.to(
                "POST /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=xyzzy\r\n"
                    + "Content-Length: \(form.utf8.count)\r\n\r\n\(form)", port: server.port)
            #expect(answer.body == "caption=An ö;photo=12345")
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}

/// Writes on one thread, and reads the response until the end.
private func onThreadReading(_ descriptor: Int32, _ write: @escaping @Sendable () -> Void) async throws
    -> String
{
    try await onThread {
        write()
        return try HTTPAnswer.readAll(descriptor)
    }
}

/// Blocks a thread until another one lets it go.
private struct Pipe: Sendable {
    private let reading: CInt
    private let writing: CInt

    init() {
        var ends: [CInt] = [-1, -1]
        pipe(&ends)
        (reading, writing) = (ends[0], ends[1])
    }

    func wait() {
        var byte: UInt8 = 0
        _ = read(reading, &byte, 1)
        close(reading)
    }

    func release() { close(writing) }
}
