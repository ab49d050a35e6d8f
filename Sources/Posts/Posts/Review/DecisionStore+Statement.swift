import Postgres

extension DecisionStore {
    /// The statement of reasons for a decision; nil if the decision restricts nothing.
    ///
    /// - Throws: ``PostError`` with `noDecision`.
    package func statementOfReasons(for id: Int64) async throws -> StatementOfReasons? {
        guard let decision = try await decision(id) else { throw PostError(.noDecision(id)) }
        guard
            let policy = try await ModerationPolicyStore(pool: pool).all().first(where: {
                $0.version == decision.policy
            })
        else {
            throw PostError(.noPolicy)
        }
        var reasons: [String: Int] = [:]
        for report in try await evidence(of: id) { reasons[report.reason, default: 0] += 1 }
        // Once a person has shown the post, the hold is overturned, and later decisions have other grounds.
        let hold = try await decisions(on: decision.post)
            .last { $0.id < id && ($0.kind == .hold || $0.to == .published) }
            .flatMap { $0.kind == .hold ? $0 : nil }
        return StatementOfReasons(decision, hold: hold, reasons: reasons, policy: policy)
    }
}
