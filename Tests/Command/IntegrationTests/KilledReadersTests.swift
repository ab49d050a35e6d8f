import ChildProcess
import Glibc
import Postgres
import TestKit
import Testing
import Threads

/// A `darkroom events tail` that writes to a pipe of one page, so that it blocks while it writes what it has read.
private final class PipedTail: Sendable {
    private let program: RunningProgram
    private let source: Int32

    init(_ darkroom: Installation, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProgramError("no pipe: \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // F_SETPIPE_SZ of fcntl(2), a macro that Swift does not import.
        guard fcntl(ends[1], 1031, 4096) == 4096 else {
            throw ChildProgramError("no pipe of one page: \(errno)")
        }
        source = ends[0]
        program = try darkroom.command(arguments).start(output: ends[1])
        close(ends[1])
    }

    deinit { close(source) }

    /// Reads until `isEnough` of everything read, then kills the process, and returns what it has written.
    func kill(after isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await onThread { [source, program] in
            var text = ""
            var chunk = [UInt8](repeating: 0, count: 256)
            while !isEnough(text) {
                let count = read(source, &chunk, chunk.count)
                guard count > 0 else { throw ChildProgramError("it ended before: \(text)") }
                text += String(decoding: chunk[..<count], as: UTF8.self)
            }
            program.send(SIGKILL)
            let ending = program.awaitEnd()
            guard ending == .killed(signal: SIGKILL) else {
                throw ChildProgramError("it \(ending) by itself")
            }
            // Read the rest of the pipe, even if another process holds its other end.
            _ = fcntl(source, F_SETFL, O_NONBLOCK)
            while true {
                let count = read(source, &chunk, chunk.count)
                guard count > 0 else { return text }
                text += String(decoding: chunk[..<count], as: UTF8.self)
            }
        }
    }
}

@Suite("Killed readers of events", .timeLimit(.minutes(10)))
struct KilledReadersTests {
    /// An event as printed; `turn` counts the events of all posts.
    private struct Line: Equatable {
        let number: Double?
        let post: Double?
        let turn: Double?
    }

    /// The complete lines of an output.
    private static func lines(_ output: String) throws -> [Line] {
        let whole = output.lastIndex(of: "\n").map { String(output[...$0]) } ?? ""
        return try JSONObject.lines(whole).map {
            Line(
                number: $0.number("number"), post: $0.number("post_id"), turn: $0.number("comment_id"))
        }
    }

    @Test("read the same events again at the next start, in order for each post")
    func killed() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            // More than the 500 that one call reads, alternating between three posts.
            let count = 650
            try await darkroom.database.pool.query(
                """
                insert into darkroom.outbox (post_id, event, comment_id)
                select 1 + n % 3, 'commented', n from generate_series(1, \(count)) n
                """)
            try await darkroom.database.pool.query("select darkroom.notify_of_events()")
            let tail = ["events", "tail", "--consumer", "push", "--from-start", "--follow", "--json"]
            func acknowledged() async throws -> Int {
                try await darkroom.database.pool.query("select number from darkroom.event_consumers")[0]
                    .decode("number", as: Int.self)
            }

            // It has read all 500, and has written only what fits into the pipe.
            for _ in 1...2 {
                let text = try await PipedTail(darkroom, tail).kill { !$0.isEmpty }
                let written = try Self.lines(text)
                #expect(!written.isEmpty && written.count < 500)
                #expect(written.map(\.turn) == (1...written.count).map { Double($0) })
                #expect(try await acknowledged() == 0, "nothing that was written was acknowledged")
            }
            // The first batch is acknowledged before the second is read.
            let second = try await PipedTail(darkroom, tail).kill { text in
                text.split(separator: "\n", omittingEmptySubsequences: false).count > 502
            }
            let seen = try Self.lines(second)
            #expect(seen.count > 500 && seen.count < count)
            #expect(try await acknowledged() == 500)

            let rest = try Self.lines(
                try await darkroom.command(tail.filter { $0 != "--follow" }).runSuccessfully().standardOutput)
            #expect(
                rest.map(\.turn) == (501...count).map { Double($0) },
                "again from the first unacknowledged event")
            #expect(Array(rest.prefix(seen.count - 500)) == Array(seen.dropFirst(500)))
            for post in 1...3 {
                let turns = (seen.prefix(500) + rest).filter { $0.post == Double(post) }.compactMap(\.turn)
                #expect(turns == (1...count).filter { 1 + $0 % 3 == post }.map { Double($0) })
            }
            #expect(try await acknowledged() == count)
        }
    }
}
