package import JobStore

/// Which schemas a worker's release can serve.
package struct ServedSchemas: Sendable {
    /// For the log.
    let oldest: String
    /// Why it cannot serve a schema; nil if it can.
    let fault: @Sendable (RecordedSchema) -> String?

    package init(oldest: String, fault: @escaping @Sendable (RecordedSchema) -> String?) {
        self.oldest = oldest
        self.fault = fault
    }

    /// For a worker whose program has migrated the database itself.
    package static let all = ServedSchemas(oldest: "any") { _ in nil }
}
