import Glibc
import PlainText

/// A photo got no verdict because the renderer died or the system failed. It can be tried again.
package struct RendererError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Codable, Sendable, Hashable {
        /// The program could not be started or did not become ready.
        case cannotStart
        /// Refused because its sandbox is incomplete.
        case unconfined
        /// Killed by a signal.
        case crashed(signal: Int32)
        /// Exited while it was rendering a photo.
        case exited(status: Int32)
        /// Killed because it did nothing for too long, or computed for too long.
        case deadline
        /// Killed because the machine let it compute too little.
        case starved
        /// The reply could not be parsed, was too large, or contradicts the request.
        case protocolViolation
        /// The original could not be read from its descriptor.
        case inputUnreadable
        /// A rendition could not be written to its descriptor, for example because the disk is full.
        case outputFailed
        case outputTooLarge
        /// Something failed in the renderer that is no evidence against the photo: the sandbox or the system refused
        /// something, or pixels that were decoded could not be processed.
        case faulted
        /// The coordinator found something other than pixels in a rendition. It must not be published.
        case unsafeOutput
        case closed
    }

    package let code: Code
    /// One line.
    package let message: String
    /// The end of what the renderer wrote to its standard error, at most 4 KiB. Besides the ends of lines, nothing in it can
    /// steer a terminal.
    package let diagnostics: String

    /// Longer messages are cut off, in bytes of UTF-8.
    private static let longest = 4096

    package init(_ code: Code, _ message: String, diagnostics: String = "") {
        self.code = code
        self.message = message.plainLine(atMost: Self.longest)
        self.diagnostics = diagnostics.split(whereSeparator: \.isNewline)
            .map { String($0).plainLine(atMost: Self.longest) }.joined(separator: "\n")
    }

    /// Whether the photo itself may be the cause, so that it counts as poison after repeated failures.
    package var suspectsPhoto: Bool {
        switch code {
        case .crashed: !isKill
        case .exited, .deadline, .protocolViolation, .unsafeOutput, .outputTooLarge: true
        case .cannotStart, .unconfined, .inputUnreadable, .outputFailed, .faulted, .starved, .closed: false
        }
    }

    /// Whether something outside killed the renderer: an operator, or a kernel without memory.
    ///
    /// Nothing that a photo makes a renderer do ends with SIGKILL: a fault in memory is SIGSEGV or SIGABRT, a refused call
    /// SIGSYS, too much computing SIGXCPU, and one that the worker kills at its deadline has another code.
    package var isKill: Bool { code == .crashed(signal: SIGKILL) }

    /// Whether the machine had too little memory or processor time for the renderer.
    package var suspectsMachine: Bool { isKill || code == .starved }

    package var description: String {
        let words = diagnostics.split(whereSeparator: \.isNewline).suffix(8).joined(separator: " | ")
        return words.isEmpty ? message : "\(message) Standard error: \(words)"
    }
}
