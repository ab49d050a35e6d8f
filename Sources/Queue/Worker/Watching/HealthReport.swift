/// A worker's health: its checks, and what is wrong with each.
package struct HealthReport: Sendable, CustomStringConvertible {
    package struct Check: Sendable {
        package let name: String
        /// Nil if nothing is wrong.
        package let fault: String?

        package init(name: String, fault: String?) {
            self.name = name
            self.fault = fault
        }
    }

    package let checks: [Check]

    package init(checks: [Check]) { self.checks = checks }

    package var isHealthy: Bool { checks.allSatisfy { $0.fault == nil } }

    /// One line per check: `claim_loop: ok`.
    package var description: String {
        checks.map { "\($0.name): \($0.fault ?? "ok")" }.joined(separator: "\n")
    }
}
