import Glibc

/// How much of the machine a process may use: its affinity mask, and the limits of its control groups (version 2).
package enum UsableCores {
    /// The cores that can be kept busy: those that this process may run on, or fewer if `cpu.max` of a control group allows
    /// less time than they have. A share of a core counts as one.
    package static var count: Int { count(root: "") }

    /// - Parameter root: stands before all paths, for tests.
    static func count(root: String) -> Int {
        let allowed = allowed(to: "self", root: root)?.count ?? sysconf(CInt(_SC_NPROCESSORS_ONLN))
        return max(1, min(allowed, limits(root: root).min() ?? allowed))
    }

    /// The numbers of the cores that a process may run on, in order; nil if there is no such process.
    package static func allowed(to process: String = "self") -> [Int]? { allowed(to: process, root: "") }

    private static func allowed(to process: String, root: String) -> [Int]? {
        let name = "Cpus_allowed_list:"
        guard
            let line = contents("\(root)/proc/\(process)/status").split(separator: "\n")
                .first(where: { $0.hasPrefix(name) })
        else { return nil }
        // Such as `0-3,8`.
        return line.dropFirst(name.count).split(separator: ",").flatMap { range in
            let ends = range.split(whereSeparator: { $0 == "-" || $0.isWhitespace }).compactMap { Int($0) }
            return ends.isEmpty ? [] : Array(ends[0]...max(ends[0], ends[ends.count - 1]))
        }
    }

    /// What the control groups of this process allow, from its own to the outermost that it can see, in cores.
    private static func limits(root: String) -> [Int] {
        // `0::` is version 2.
        guard
            let line = contents("\(root)/proc/self/cgroup").split(separator: "\n")
                .first(where: { $0.hasPrefix("0::/") })
        else { return [] }
        let groups = line.dropFirst(4).split(separator: "/")
        return (0...groups.count).compactMap { depth in
            let path = groups.prefix(depth).map { "/\($0)" }.joined()
            // Microseconds in each period, or `max`, and the period.
            let numbers = contents("\(root)/sys/fs/cgroup\(path)/cpu.max")
                .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            guard numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return nil }
            return (numbers[0] - 1) / numbers[1] + 1
        }
    }

    /// Empty if the file cannot be read.
    private static func contents(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
