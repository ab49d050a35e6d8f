import Glibc

/// What `/proc` says about a process; nil or empty once it is gone.
struct ProcessFigures {
    let process: Int32

    /// User and system time.
    var cpuSeconds: Double { seconds(ofField: 14) }

    /// The same of the children that have ended and were waited for.
    var endedChildrenSeconds: Double { seconds(ofField: 16) }

    /// The children of its first thread that run.
    var children: [Int32] {
        contents("task/\(process)/children").split(separator: " ").compactMap { Int32($0) }
    }

    /// A user time of /proc/PID/stat and the system time that follows it, by the user time's number in proc(5).
    private func seconds(ofField number: Int) -> Double {
        // The fields after the name, which may contain anything: state is field 3.
        let fields = contents("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > number - 2, let user = Int(fields[number - 3]),
            let system = Int(fields[number - 2])
        else { return 0 }
        return Double(user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    /// User and system time of this process's children that have ended, and of those that they have waited for.
    static var endedCPUSeconds: Double {
        var ended = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &ended)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(ended.ru_utime) + seconds(ended.ru_stime)
    }

    /// Its program, cut to 15 bytes.
    var name: String { String(contents("comm").dropLast()) }

    var parent: Int32? { status("PPid").map(Int32.init) }

    /// The peak of the resident memory.
    var peakBytes: Int? { status("VmHWM").map { $0 * 1024 } }

    private func status(_ name: String) -> Int? {
        let line = contents("status").split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    var residentBytes: Int? {
        let fields = contents("statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    private func contents(_ name: String) -> String {
        guard let file = fopen("/proc/\(process)/\(name)", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
