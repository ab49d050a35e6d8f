import Glibc
import Postgres
import Threads

extension ServeBenchmark {
    /// Keeps streams of events open, each of another person, to which nothing happens.
    func streams(_ database: BenchmarkDatabase, in root: String) async throws {
        try raiseOpenFiles(options.streams + 256)
        let most = String(options.streams + 100)
        try await withServer(
            database, in: root, ["--most-clients", String(options.streams * 2), "--most-per-client", most]
        ) { api in
            let before = api.figures.residentBytes ?? 0
            progress("opening \(options.streams) streams")
            let began = ContinuousClock.now
            let clients = try await onThread { [options] in
                try StreamClients(options.streams, port: api.port, key: api.key)
            }
            try await onThread { try clients.awaitEvents() }
            let opened = ContinuousClock.now - began
            progress("waiting \(options.idleSeconds) s")
            // What follows the opening is not what an idle stream costs.
            try await Task.sleep(for: .seconds(2))
            let cpu = api.figures.cpuSeconds
            let since = ContinuousClock.now
            try await Task.sleep(for: .seconds(options.idleSeconds))
            let share = (api.figures.cpuSeconds - cpu) / ((ContinuousClock.now - since) / .seconds(1))
            let resident = api.figures.residentBytes ?? 0
            clients.close()
            let megabytes = Double(resident) / 1_000_000
            report(
                BenchmarkLine(
                    "serve-streams-memory", "MB", [megabytes], goal: 200, lowerIsBetter: true,
                    note:
                        "\(options.streams) streams, opened in \((opened / .seconds(1) * 10).rounded() / 10) s; \(before / 1_000_000) MB without"
                ))
            report(
                BenchmarkLine(
                    "serve-streams-cpu", "% of a core", [share * 100], goal: 5, lowerIsBetter: true,
                    note: "\(options.streams) idle streams for \(options.idleSeconds) s"))
        }
    }

    /// For this program and those that it starts.
    private func raiseOpenFiles(_ wanted: Int) throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        guard limit.rlim_cur < rlim_t(wanted) else { return }
        limit.rlim_cur = rlim_t(wanted)
        limit.rlim_max = max(limit.rlim_max, limit.rlim_cur)
        guard setrlimit(resource, &limit) == 0 else {
            throw BenchmarkError(
                "\(options.streams) streams need \(wanted) open files: raise the hard limit (ulimit -Hn), or give --streams"
            )
        }
    }
}

/// Connections with a stream of events each.
private final class StreamClients: Sendable {
    private let descriptors: [Int32]

    /// Blocks.
    init(_ count: Int, port: UInt16, key: String) throws {
        var descriptors: [Int32] = []
        do {
            for number in 0..<count {
                descriptors.append(try Self.open(number, port, key))
            }
        } catch {
            for descriptor in descriptors { Glibc.close(descriptor) }
            throw error
        }
        self.descriptors = descriptors
    }

    private static func open(_ number: Int, _ port: UInt16, _ key: String) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("socket") }
        // An address has ports for some 28,000 connections to one server.
        guard withAddress("127.0.0.\(2 + number / 10_000)", 0, { bind(descriptor, $0, $1) }) == 0,
            withAddress("127.0.0.1", port, { connect(descriptor, $0, $1) }) == 0
        else {
            defer { Glibc.close(descriptor) }
            throw failure("connection \(number)")
        }
        let request = """
            GET /v1/me/inbox/live HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(key)\r\n\
            Darkroom-Person: reader-\(number)\r\n\r\n
            """
        let sent = Array(request.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == request.utf8.count else {
            defer { Glibc.close(descriptor) }
            throw failure("request \(number)")
        }
        return descriptor
    }

    private static func withAddress<T>(
        _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
    ) -> T {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func failure(_ what: String) -> BenchmarkError {
        BenchmarkError("\(what): \(String(cString: strerror(errno)))")
    }

    /// Waits until each has its first event. Blocks.
    func awaitEvents() throws {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let end = ContinuousClock.now + .seconds(120)
        for (number, descriptor) in descriptors.enumerated() {
            var text = ""
            while !text.contains("event: unread") {
                let left = (end - .now) / .milliseconds(1)
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard left > 0, poll(&waiting, 1, Int32(left)) > 0 else {
                    throw BenchmarkError("stream \(number) has no event after 120 s")
                }
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else {
                    throw BenchmarkError("stream \(number) ended after: \(text.prefix(300))")
                }
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
        }
    }

    func close() { for descriptor in descriptors { Glibc.close(descriptor) } }
}
