import Glibc

/// Tells a renderer that does nothing from one that the machine does not let compute, by looking at it from time to time.
struct ProgressWatch {
    private let process: pid_t
    private let began: Double
    private var looked: Double
    /// CPU time that the process had used when the watch began.
    let cpuSecondsBefore: Double
    /// Seconds in which it neither computed nor waited for the processor, a disk or memory.
    private(set) var idleSeconds = 0.0
    /// Of each thread: seconds for which it has computed or waited for the processor, at the last look.
    private var used: [String: Double] = [:]

    /// Between two looks, in seconds. Reading `/proc` takes some ten microseconds.
    private static let interval = 0.1
    /// Of the time between two looks, what counts at most: a worker that was stopped itself has seen nothing of it.
    private static let longestInterval = 2.0

    /// - Parameter cpuSeconds: that `process` has used so far.
    init(process: pid_t, cpuSeconds: Double) {
        self.process = process
        cpuSecondsBefore = cpuSeconds
        began = Self.now
        looked = began
    }

    /// Since the watch began.
    var seconds: Double { Self.now - began }

    mutating func look() {
        let now = Self.now
        guard now - looked >= Self.interval else { return }
        idleSeconds += min(now - looked, Self.longestInterval) * (1 - busyShare(of: now - looked))
        looked = now
    }

    /// Whether it spent most of its time neither computing nor idle.
    ///
    /// - Parameter cpuSeconds: that it has computed since the watch began.
    func isStarved(cpuSeconds: Double) -> Bool { cpuSeconds + idleSeconds < seconds / 2 }

    /// The share of the seconds since the last look in which its busiest thread computed, or waited for the processor, a disk or
    /// memory.
    ///
    /// The kernel adds a wait for the processor up when it is over. So a thread that waits now (R) and has done nothing since
    /// the last look counts as busy, as does one that waits for a disk or memory (D). A renderer chooses when this looks: it can
    /// write to its standard error. So what it does at that moment says nothing if the kernel knows what it did before.
    private mutating func busyShare(of seconds: Double) -> Double {
        guard let threads = opendir("/proc/\(process)/task") else { return 0 }
        defer { closedir(threads) }
        var share = 0.0
        var now: [String: Double] = [:]
        while let entry = readdir(threads) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.first != "." else { continue }
            let path = "/proc/\(process)/task/\(name)"
            let state = Self.state("\(path)/stat")
            let total = Self.usedSeconds("\(path)/schedstat")
            now[name] = total
            let isNew = used[name] == nil
            let more = total.map { max(0, $0 - (used[name] ?? 0)) } ?? 0
            if !isNew { share = max(share, min(1, more / seconds)) }
            if state == UInt8(ascii: "D") || (state == UInt8(ascii: "R") && (isNew || more == 0)) {
                share = 1
            }
        }
        used = now
        return share
    }

    /// The first two fields of `schedstat`, in nanoseconds: on a processor, and waiting for one. See proc(5).
    private static func usedSeconds(_ path: String) -> Double? {
        guard let text = text(path) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ").prefix(2).compactMap {
            Double($0)
        }
        return fields.count == 2 ? (fields[0] + fields[1]) / 1e9 : nil
    }

    /// The third field of `stat`: the first one behind the name in parentheses, which may have any character.
    private static func state(_ path: String) -> UInt8? {
        guard let text = text(path), let end = text.lastIndex(of: UInt8(ascii: ")")), end + 2 < text.count
        else {
            return nil
        }
        return text[end + 2]
    }

    private static func text(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = read(file, &text, text.count)
        return count > 0 ? Array(text.prefix(count)) : nil
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
