/// What the kernel holds a renderer to, as the renderer found it at its start.
package struct Sandbox: Codable, Sendable, Hashable {
    package enum Layer: String, Codable, CaseIterable, Sendable {
        /// No capabilities, and no program that it executes can gain any.
        case noNewPrivileges = "no_new_privs"
        /// No file can be opened but those of the system's libraries, for reading; no TCP where the kernel knows
        /// that; no signal to other processes where the kernel knows that.
        case landlock
        /// System calls on memory, threads, time and its own descriptors only: no open, socket, exec, fork.
        case seccomp
        /// Address space, CPU time, size of files, descriptors; no core dump.
        case limits
    }

    /// A layer that is not there, and why: usually a kernel built without it.
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
