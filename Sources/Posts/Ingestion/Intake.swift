package import Gazetteer
package import Imaging
package import Postgres

/// Which photos a worker takes, and whom its places credit: what the forms and pages of apps want to know.
package enum Intake {
    /// Records it for `posting_rules`, if it is not what is recorded.
    ///
    /// - Parameter replacesLimits: otherwise the limits that another worker has noted stay.
    /// - Throws: `PostgresError`.
    package static func note(
        _ limits: RenderLimits, _ gazetteer: Gazetteer, replacesLimits: Bool, in pool: PostgresPool
    ) async throws {
        var attributions: [String] = []
        for source in gazetteer.info.sources where !attributions.contains(source.attribution) {
            attributions.append(source.attribution)
        }
        try await pool.query(
            """
            select darkroom.note_intake(
                \(PhotoFormat.allCases.map(\.mediaType)), \(limits.bytes), \(limits.pixels), \(attributions),
                \(replacesLimits))
            """)
    }
}
