import CLibPQ

/// The statements of one connection that the server has parsed (`PREPARE`).
struct KeptStatements {
    /// How many a session keeps, each some tens of kilobytes of the server's memory. What comes after is parsed each time.
    static let most = 200

    private var names: [String: String] = [:]
    /// No two connections have the same: behind a pooler, one finds what another has kept, and must not run it.
    private let prefix = "darkroom_" + String(UInt64.random(in: .min ... .max), radix: 36)

    subscript(sql: String) -> String? { names[sql] }

    var newName: String? { names.count < Self.most ? "\(prefix)_\(names.count)" : nil }

    mutating func add(_ sql: String, as name: String) { names[sql] = name }
}

extension PostgresConnection {
    /// Runs a statement that the server has parsed before, or has it parse and keep this one. Nil if it must be sent whole.
    ///
    /// Outside of transactions only: in one, the server's refusal could not be repaired.
    func exchangeKept(_ sql: String, _ parameters: [String?]) throws -> PostgresRows? {
        guard let statements, try transactionStatus() == PQTRANS_IDLE else { return nil }
        do {
            if let name = statements[sql] { return try run { $0.send(kept: name, parameters) } }
            guard let name = statements.newName else { return nil }
            _ = try run { $0.send(keeping: sql, as: name) }
            self.statements?.add(sql, as: name)
            return try run { $0.send(kept: name, parameters) }
        } catch let error as PostgresError where error.sqlState == .noSuchStatement {
            // A pooler has passed it to a session that another connection's statements were kept in.
            self.statements = nil
            return nil
        }
    }
}
