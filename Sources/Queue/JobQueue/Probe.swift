/// How a worker sees whether a dependency is there.
package struct Probe: Sendable {
    package let dependency: Dependency
    /// How often it is tried while nothing is wrong; nil for only after a job found something wrong.
    package let interval: Duration?
    /// A dependency that takes longer is away.
    package let limit: Duration
    /// Only tried for a job that names this dependency, and not for each that finds something away.
    package let isCostly: Bool
    /// Does what jobs do with the dependency, and throws what they would throw. `isNeeded` is false while no job has met a
    /// fault: what no job has used yet need not be there.
    package let body: @Sendable (_ isNeeded: Bool) async throws -> Void

    package init(
        of dependency: Dependency, every interval: Duration?, limit: Duration = .seconds(10),
        isCostly: Bool = false, _ body: @escaping @Sendable (_ isNeeded: Bool) async throws -> Void
    ) {
        self.dependency = dependency
        self.interval = interval
        self.limit = limit
        self.isCostly = isCostly
        self.body = body
    }
}
