import Arguments
import CommandSupport
import Glibc
import Synchronization

/// The terminal's alternate screen, as full-screen programs use it: the earlier content comes back at the end.
///
/// Source of the sequences: XTerm Control Sequences, private modes 7, 25 and 1049.
struct AlternateScreen {
    private static let isOpen = Mutex(false)

    /// Switches to the alternate screen. ``close()`` switches back, and so does the exit of the process.
    init() {
        atexit { AlternateScreen.giveBack() }
        Self.isOpen.withLock { $0 = true }
        // Turn off wrapping: a long line must not push the others down.
        _ = try? Output.raw("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    func close() { Self.giveBack() }

    /// The current width in columns.
    var width: Int? { Terminal.size(of: STDOUT_FILENO)?.columns ?? 80 }

    /// Replaces the content with as many of `lines` as fit.
    func show(_ lines: [String]) {
        let room = max(1, Terminal.size(of: STDOUT_FILENO)?.lines ?? 24)
        let visible =
            lines.count <= room ? lines : lines.prefix(room - 1) + ["… \(lines.count - room + 1) more lines"]
        _ = try? Output.raw("\u{1B}[H" + visible.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
    }

    private static func giveBack() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { _ = try? Output.raw("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l") }
    }
}
