import Glibc

extension MetricsRegistry {
    /// Adds the standard process metrics of Prometheus clients, read from `/proc` at each exposition.
    ///
    /// Source: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
    package func addProcessMetrics() {
        let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        collect(.counter, "process_cpu_seconds_total", "User and system CPU time spent, in seconds.") {
            ProcessStatus.read().map { [MetricSample(value: Double($0.cpuTicks) / ticksPerSecond)] } ?? []
        }
        collect(.gauge, "process_resident_memory_bytes", "Resident memory size, in bytes.") {
            ProcessStatus.read().map { [MetricSample(value: Double($0.residentPages) * pageSize)] } ?? []
        }
        collect(.gauge, "process_open_fds", "Open file descriptors.") {
            ProcessStatus.openDescriptors().map { [MetricSample(value: Double($0))] } ?? []
        }
        collect(.gauge, "process_max_fds", "How many file descriptors can be open.") {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return [] }
            return [MetricSample(value: limit.rlim_cur == .max ? .infinity : Double(limit.rlim_cur))]
        }
        // Computed once: setting the clock while the process runs must not change its start time.
        let start = ProcessStatus.read().map { status in
            UnixTime.now() - (UnixTime.sinceBoot() - Double(status.startTicks) / ticksPerSecond)
        }
        collect(.gauge, "process_start_time_seconds", "When the process started, in seconds since 1970.") {
            start.map { [MetricSample(value: $0)] } ?? []
        }
    }
}

enum UnixTime {
    /// Seconds since 1970.
    static func now() -> Double { seconds(CLOCK_REALTIME) }
    /// Seconds since the machine started, including sleep.
    static func sinceBoot() -> Double { seconds(CLOCK_BOOTTIME) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The fields of `/proc/self/stat`. Source: proc(5).
struct ProcessStatus {
    var cpuTicks: UInt64
    /// Since boot.
    var startTicks: UInt64
    var residentPages: Int64

    /// Nil if the line is not from `/proc/PID/stat`.
    init?(_ line: some StringProtocol) {
        // The program's name, in parentheses, may itself contain spaces and parentheses.
        guard let end = line.lastIndex(of: ")") else { return nil }
        let fields = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
        // The first of these is field 3.
        guard fields.count >= 22, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let start = UInt64(fields[19]), let pages = Int64(fields[21])
        else { return nil }
        cpuTicks = user + system
        startTicks = start
        residentPages = pages
    }

    static func read() -> ProcessStatus? {
        let descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? ProcessStatus(String(decoding: bytes[..<count], as: UTF8.self)) : nil
    }

    static func openDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        // Excludes ".", ".." and the descriptor of the folder being read.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
