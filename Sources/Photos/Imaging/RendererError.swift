/// A photo got no verdict: the renderer died, or the system failed. The photo may be tried again.
package struct RendererError: Error, Codable, Sendable, CustomStringConvertible {
    package enum Code: Codable, Sendable, Hashable {
        /// The program could not be started, or did not say that it was ready.
        case cannotStart
        /// Killed by a signal.
        case crashed(signal: Int32)
        /// Ended by itself in the middle of a photo.
        case exited(status: Int32)
        /// Killed at the wall-clock limit.
        case deadline
        /// The answer could not be parsed, was too large, or contradicts the request.
        case protocolViolation
        /// The original could not be read from its descriptor.
        case inputUnreadable
        /// A rendition could not be written to its descriptor: a full disk, for example.
        case outputFailed
        case outputTooLarge
        /// A rendition holds something else than pixels, as the coordinator found. It must not be published.
        case unsafeOutput
        /// The pool is shut down.
        case closed
    }

    package var code: Code
    package var message: String
    /// The last of what the renderer wrote to its standard error, at most 4 KiB.
    package var diagnostics: String

    package init(_ code: Code, _ message: String, diagnostics: String = "") {
        self.code = code
        self.message = message
        self.diagnostics = diagnostics
    }

    /// Whether the photo itself may be the cause, so that repeated failures make it poison.
    package var suspectsPhoto: Bool {
        switch code {
        case .crashed, .exited, .deadline, .protocolViolation, .unsafeOutput, .outputTooLarge: true
        case .cannotStart, .inputUnreadable, .outputFailed, .closed: false
        }
    }

    package var description: String {
        diagnostics.isEmpty ? message : "\(message) Standard error: \(diagnostics)"
    }
}
