/// Something outside of a worker that its jobs need, such as the media store.
package struct Dependency: Hashable, Sendable, CustomStringConvertible {
    /// Lower-case words joined by underscores: a label of metrics and the name of a health check.
    package let name: String

    package init(_ name: String) { self.name = name }

    package var description: String { name }
}

/// What is wrong with a dependency, and since it is not a job's fault, costs no job a try.
package struct Absence: Error, Hashable, Sendable, CustomStringConvertible {
    package let dependency: Dependency
    /// The message is for operators: what happened, to what, and what to do.
    package let reason: Reason
    /// Whether several jobs that find it so are right, although the probe finds nothing wrong.
    package let outweighsProbe: Bool

    package init(of dependency: Dependency, _ reason: Reason, outweighsProbe: Bool = true) {
        self.dependency = dependency
        self.reason = reason
        self.outweighsProbe = outweighsProbe
    }

    package var description: String { reason.description }
}

/// An error that can mean that a dependency is away.
package protocol DependencyError: Error {
    /// Nil if the error means something else.
    var absence: Absence? { get }
}

extension Absence: DependencyError {
    package var absence: Absence? { self }
}
