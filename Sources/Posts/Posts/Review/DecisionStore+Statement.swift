package import FoundationEssentials
import Postgres

extension DecisionStore {
    /// The statement of reasons for a decision; nil if the decision restricts nothing.
    ///
    /// - Throws: ``PostError`` with `noDecision`.
    package func statementOfReasons(for id: Int64) async throws -> StatementOfReasons? {
        guard let decision = try await decision(id) else { throw PostError(.noDecision(id)) }
        return try await statement(for: decision, try await policies())
    }

    /// The statements of reasons for the decisions of a period, in their order, from `since` on and before `until`. Reads
    /// one page of decisions at a time.
    package func statementsOfReasons(
        since: Date, until: Date, _ body: (StatementOfReasons) throws -> Void
    ) async throws {
        let policies = try await policies()
        var last: Int64 = 0
        while true {
            try Task.checkCancellation()
            let page = try await restrictions(since: since, until: until, after: last, limit: 500)
            guard let end = page.last?.id else { return }
            for decision in page {
                if let statement = try await statement(for: decision, policies) { try body(statement) }
            }
            last = end
        }
    }

    private func policies() async throws -> [Int: ModerationPolicy] {
        Dictionary(
            uniqueKeysWithValues: try await ModerationPolicyStore(pool: pool).all().map { ($0.version, $0) })
    }

    private func statement(
        for decision: DecisionRecord, _ policies: [Int: ModerationPolicy]
    ) async throws -> StatementOfReasons? {
        guard let policy = policies[decision.policy] else { throw PostError(.noPolicy) }
        let before = try await decisions(on: decision.subject.post, comment: decision.subject.comment).filter
        { $0.id < decision.id }
        // Once a person has shown the post, the screening is overturned, and later decisions have other grounds.
        let screening = before.last { $0.isScreening || $0.to == .published }
        let approval = before.last { $0.kind == .approve || $0.kind == .restore }
        return StatementOfReasons(
            decision, screening: screening?.isScreening == true ? screening : nil, approvedAt: approval?.at,
            evidence: try await evidence(of: decision.id), policy: policy)
    }
}
