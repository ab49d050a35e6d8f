/// The kernel restrictions on a renderer, as the renderer found them at startup.
package struct Sandbox: Codable, Sendable, Hashable {
    package enum Layer: String, Codable, CaseIterable, Sendable {
        /// It has no capabilities, and no program that it executes can gain any.
        case noNewPrivileges = "no_new_privs"
        /// It can open only the files of the system's libraries, for reading. Where the kernel supports it, it cannot
        /// use TCP or send signals to other processes.
        case landlock
        /// Only system calls on memory, threads, time and its own descriptors are allowed: no open, socket, exec, fork.
        case seccomp
        /// Its address space, CPU time, file size and descriptors are limited, and it dumps no core.
        case limits
    }

    /// A missing layer and the cause: usually a kernel built without it.
    package struct Gap: Codable, Sendable, Hashable, CustomStringConvertible {
        package let layer: Layer
        package let cause: String

        package init(layer: Layer, cause: String) {
            self.layer = layer
            self.cause = cause
        }

        package var description: String { "\(layer.rawValue) (\(cause))" }
    }

    package var active: [Layer] = []
    package var gaps: [Gap] = []

    package init() {}

    package var isComplete: Bool { Set(active) == Set(Layer.allCases) }
}
