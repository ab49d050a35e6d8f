import Postgres

extension DecisionStore {
    /// The latest decisions of people, latest first.
    package func latestByPeople(limit: Int) async throws -> [DecisionRecord] {
        try await pool.query(
            "\(Self.decisionSelection) where decider is not null order by decision_id desc limit \(limit)"
        ).map(DecisionRecord.init)
    }
}
