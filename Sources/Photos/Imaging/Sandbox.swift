/// The kernel restrictions on a renderer, as the renderer found them before its first photo.
package struct Sandbox: Codable, Sendable, Hashable {
    package enum Layer: String, Codable, CaseIterable, Sendable {
        /// It has no capabilities, and no program that it executes can gain any. No process of its user can trace it.
        case noNewPrivileges = "no_new_privs"
        /// It can open no file. Where the kernel supports it, it cannot use TCP or send signals to other processes.
        case landlock
        /// Only system calls on memory, threads, time and its own descriptors are allowed: no open, socket, exec, fork.
        case seccomp
        /// Its address space, CPU time, file size and descriptors are limited, and it dumps no core.
        case limits
        /// It has a network without devices, and sees no other process. Containers often forbid this.
        case namespaces
        /// It can start only so many threads. It needs a user namespace, where the kernel counts only its own.
        case threads

        /// Whether `--require-sandbox` needs it.
        package var isRequired: Bool {
            switch self {
            case .noNewPrivileges, .landlock, .seccomp, .limits: true
            case .namespaces, .threads: false
            }
        }
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

    /// Whether it has every layer that is required.
    package var isComplete: Bool { Layer.allCases.allSatisfy { !$0.isRequired || active.contains($0) } }

    /// Notes that a layer is missing.
    package mutating func lacks(_ layer: Layer, _ cause: String) {
        gaps.append(Gap(layer: layer, cause: cause))
    }
}
