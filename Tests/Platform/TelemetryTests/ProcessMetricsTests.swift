import Glibc
import Testing

@testable import Telemetry

@Suite("The metrics of the process", .timeLimit(.minutes(15)))
struct ProcessMetricsTests {
    @Test("show descriptors, memory, CPU time and the start time")
    func values() async {
        // In a separate process: other tests open files too.
        await #expect(processExitsWith: .success) {
            let registry = MetricsRegistry()
            registry.addProcessMetrics()
            func value(_ name: String) throws -> Double {
                let line = try #require(
                    registry.render().split(separator: "\n").first { $0.hasPrefix(name + " ") })
                return try #require(Double(line.dropFirst(name.count + 1)))
            }

            // The test's own runtime may open one between the two counts, but not every time.
            func openIsRight() throws -> Bool {
                try (0..<100).contains { _ in
                    let counted = (0..<Int32(4096)).count { fcntl($0, F_GETFD) >= 0 }
                    return try value("process_open_fds") == Double(counted)
                }
            }
            #expect(try openIsRight())
            for _ in 0..<5 { #expect(open("/dev/null", O_RDONLY) > 0) }
            #expect(try openIsRight())

            var limit = rlimit(rlim_cur: 321, rlim_max: 321)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(try value("process_max_fds") == 321)

            let resident = try value("process_resident_memory_bytes")
            let size = 64 << 20
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
            memory.initializeMemory(as: UInt8.self, repeating: 1, count: size)
            // Not all of it: the kernel may have reclaimed other resident memory.
            #expect(try value("process_resident_memory_bytes") - resident > Double(size) / 2)
            memory.deallocate()

            // clock() is also the process's CPU time, in microseconds; the kernel counts in ticks of 10 ms.
            let spent = try value("process_cpu_seconds_total")
            let start = clock()
            while clock() - start < 200_000 {}
            #expect(try value("process_cpu_seconds_total") - spent > 0.15)
            #expect(try value("process_cpu_seconds_total") <= Double(clock()) / 1e6 + 0.03)

            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let age = Double(now.tv_sec) - (try value("process_start_time_seconds"))
            #expect(age > -1 && age < 60)
        }
    }

    @Test("are parsed after a program name that looks like fields")
    func programName() throws {
        let numbers = (4...52).map(String.init).joined(separator: " ")
        let status = try #require(ProcessStatus("1 (a) S (b 9 9) S \(numbers)\n"))
        #expect(status.cpuTicks == 14 + 15)
        #expect(status.startTicks == 22)
        #expect(status.residentPages == 24)
        #expect(ProcessStatus("1 (a) S 4 5") == nil)
        #expect(ProcessStatus("") == nil)
    }
}
