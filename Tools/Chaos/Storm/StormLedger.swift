import FoundationEssentials
import Glibc
import Synchronization
import Threads

/// What a storm's uploads were promised, in a file outside of the database.
///
/// Each line is on the disk before the storm relies on it. At the end the file alone says what must be there.
struct StormLedger: Sendable {
    enum Entry: Equatable, Sendable {
        /// Written before the transaction begins.
        case began(key: String, Expectation)
        /// The server has said that the transaction is committed; `position` is a place in its log of writes behind it.
        case committed(key: String, position: UInt64)
        case rolledBack(key: String)
        /// The connection was lost before the reply to the commit.
        case unknown(key: String)
        /// The last place of the lost primary's log of writes that the promoted standby has.
        case promoted(position: UInt64)
    }

    /// What must become of an upload.
    enum Expectation: Equatable, Sendable {
        case published
        case rejected(reasons: Set<String>)
    }

    struct Line: Equatable, Sendable {
        /// Microseconds since 1970, of this machine's clock, which the server also uses.
        let time: Int64
        let entry: Entry
    }

    private let descriptor: Descriptor

    init(path: String) throws {
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw ChaosError("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        descriptor = Descriptor(number)
    }

    private final class Descriptor: Sendable {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }

    /// Appends a line, and returns when it is on the disk.
    func note(_ entry: Entry) async throws {
        let line = Line(time: Self.now, entry: entry).text + "\n"
        try await onThread { [descriptor] in
            let bytes = Array(line.utf8)
            guard write(descriptor.number, bytes, bytes.count) == bytes.count,
                fdatasync(descriptor.number) == 0
            else { throw ChaosError("cannot write the ledger: \(String(cString: strerror(errno)))") }
        }
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    static func read(_ path: String) throws -> [Line] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ChaosError("cannot read \(path)")
        }
        return try String(decoding: data, as: UTF8.self).split(separator: "\n").map { text in
            guard let line = Line(String(text)) else { throw ChaosError("\(path) has the line '\(text)'") }
            return line
        }
    }
}

extension StormLedger.Line {
    var text: String {
        let words: [String] =
            switch entry {
            case .began(let key, .published): ["began", key, "published"]
            case .began(let key, .rejected(let reasons)):
                ["began", key, "rejected", reasons.sorted().joined(separator: ",")]
            case .committed(let key, let position): ["committed", key, "\(position)"]
            case .rolledBack(let key): ["rolled-back", key]
            case .unknown(let key): ["unknown", key]
            case .promoted(let position): ["promoted", "\(position)"]
            }
        return (["\(time)"] + words).joined(separator: " ")
    }

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count >= 3, let time = Int64(words[0]) else { return nil }
        let key = words[2]
        let entry: StormLedger.Entry? =
            switch words[1] {
            case "began" where words.count == 4 && words[3] == "published": .began(key: key, .published)
            case "began" where words.count == 5 && words[3] == "rejected":
                .began(key: key, .rejected(reasons: Set(words[4].split(separator: ",").map(String.init))))
            case "committed" where words.count == 4:
                UInt64(words[3]).map { .committed(key: key, position: $0) }
            case "rolled-back": .rolledBack(key: key)
            case "unknown": .unknown(key: key)
            case "promoted": UInt64(key).map { .promoted(position: $0) }
            default: nil
            }
        guard let entry else { return nil }
        self.init(time: time, entry: entry)
    }
}
