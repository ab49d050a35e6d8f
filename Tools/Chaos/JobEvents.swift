import FoundationEssentials
import Glibc
import JobQueue

/// What the handlers of a trial's workers did, in one file that all of them append to.
///
/// It says what really ran, whatever the database says.
package final class JobEvents: Sendable {
    enum Event: String, Sendable {
        case started
        /// The attempt came to its end, successfully or not, and touches nothing any more.
        case ended
    }

    private let descriptor: Int32

    /// - Throws: ``ChaosError`` if the file cannot be opened.
    package init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ChaosError("cannot open \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// One write a line, so that the lines of several processes do not mix.
    func note(_ event: Event, _ lease: Lease) {
        var time = timespec()
        // The same for all processes of the machine.
        clock_gettime(CLOCK_MONOTONIC, &time)
        let line =
            "\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000) \(event.rawValue) \(lease.job) \(lease.token)\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(descriptor, $0.baseAddress, $0.count) }
    }

    /// How many jobs two workers ran at the same time.
    static func overlaps(in path: String) -> Int {
        overlaps(String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self))
    }

    static func overlaps(_ text: String) -> Int {
        var attempts: [Lease: (from: Int64, to: Int64)] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 4, let time = Int64(words[0]), let job = Int64(words[2]),
                let token = Int64(words[3])
            else { continue }
            let lease = Lease(job: JobID(rawValue: job), token: ClaimToken(rawValue: token))
            switch Event(rawValue: String(words[1])) {
            case .started: attempts[lease] = (time, .max)
            case .ended: attempts[lease]?.to = time
            case nil: break
            }
        }
        return Dictionary(grouping: attempts, by: \.key.job).values.count { attempts in
            let times = attempts.map(\.value).sorted { $0.from < $1.from }
            return zip(times, times.dropFirst()).contains { $0.to > $1.from }
        }
    }
}
