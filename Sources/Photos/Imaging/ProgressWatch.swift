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

    /// Between two looks, in seconds. Reading `/proc` takes some microseconds.
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
        if !isBusy { idleSeconds += min(now - looked, Self.longestInterval) }
        looked = now
    }

    /// Whether it spent most of its time neither computing nor idle.
    ///
    /// - Parameter cpuSeconds: that it has computed since the watch began.
    func isStarved(cpuSeconds: Double) -> Bool { cpuSeconds + idleSeconds < seconds / 2 }

    /// Whether any of its threads computes or waits for the processor (R), or waits for a disk or memory (D): the third field of
    /// `stat`, see proc(5).
    private var isBusy: Bool {
        guard let threads = opendir("/proc/\(process)/task") else { return false }
        defer { closedir(threads) }
        while let entry = readdir(threads) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.first != ".", let state = Self.state("/proc/\(process)/task/\(name)/stat") else {
                continue
            }
            if state == UInt8(ascii: "R") || state == UInt8(ascii: "D") { return true }
        }
        return false
    }

    private static func state(_ path: String) -> UInt8? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = read(file, &text, text.count)
        // The name in parentheses may have any character.
        guard count > 0, let end = text[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
            return nil
        }
        return text[end + 2]
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
