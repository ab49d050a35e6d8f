import Arguments
import FoundationEssentials
import Glibc

/// Writes a command's answer to standard output.
enum Output {
    static func line(_ text: String) {
        // A reader that is gone, such as `| head`, would see nothing of what is written from here on.
        if !put(text, on: STDOUT_FILENO) { exit(0) }
    }

    static func table(_ table: TextTable) {
        var text = table.render(width: Terminal.width(of: STDOUT_FILENO))
        while text.last == "\n" { text.removeLast() }
        if !text.isEmpty { line(text) }
    }

    /// As it is, without an end of line; false where nobody reads any more.
    ///
    /// - Throws: `CommandError` where it cannot be written for another reason, such as a full disk.
    static func raw(_ text: String) throws -> Bool {
        if write(text, to: STDOUT_FILENO) { return true }
        guard errno == EPIPE else {
            throw CommandError("cannot write standard output: \(String(cString: strerror(errno)))")
        }
        return false
    }

    /// To standard error, for what is said beside the answer.
    static func note(_ text: String) {
        _ = put(text, on: STDERR_FILENO)
    }

    private static func put(_ text: String, on descriptor: Int32) -> Bool {
        write(text + "\n", to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

extension Date {
    /// RFC 3339 in UTC, to the second.
    var stamp: String { formatted(.iso8601) }

    /// `2026-05-01 12:00:07`, in UTC, for tables.
    var shortStamp: String {
        stamp.replacing("T", with: " ").replacing("Z", with: "")
    }
}

extension Duration {
    /// The largest unit that gives at least 1: `0.4s`, `12s`, `5m`, `3h`, `2d`.
    var short: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        switch seconds {
        case ..<10: return "\((seconds * 10).rounded() / 10)s"
        case ..<120: return "\(Int(seconds))s"
        case ..<7200: return "\(Int(seconds / 60))m"
        case ..<172_800: return "\(Int(seconds / 3600))h"
        default: return "\(Int(seconds / 86_400))d"
        }
    }

    /// For short spans: `0.4ms`, `37ms`, then as ``short``.
    var fine: String {
        switch seconds {
        case ..<0.01: "\((seconds * 10_000).rounded() / 10)ms"
        case ..<1: "\(Int((seconds * 1000).rounded()))ms"
        default: short
        }
    }

    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
