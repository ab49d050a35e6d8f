import JobQueue
import Postgres
import Testing

@testable import Worker

@Suite("What an error means for an attempt")
struct AttemptEndsTests {
    /// The reason, if the job waits without a counted try.
    static func wait(_ error: any Error) -> String? {
        guard case .notYet(let reason, let delay) = AttemptEnds.failure(of: error, stoppedBy: nil) else {
            return nil
        }
        return delay > .zero && delay < .seconds(60) ? reason.code : "a delay of \(delay)"
    }

    @Test(
        "the database's own trouble costs no try, wherever the error comes from",
        arguments: [
            ("57P01", "database_away"), ("08006", "database_away"), ("53300", "database_away"),
            ("25P03", "database_away"), ("40001", "database_busy"), ("40P01", "database_busy"),
            ("55P03", "database_busy"), ("42883", "schema_differs"), ("42P01", "schema_differs"),
        ])
    func database(state: String, code: String) {
        let error = PostgresError(.server, "", sqlState: SQLState(state))
        #expect(Self.wait(error) == code)
        let fault = AttemptError(.systemFault(Reason(code: "store", message: "")), underlying: error)
        #expect(Self.wait(fault) == code)
    }

    @Test("a lost connection and a missed deadline cost no try")
    func connection() {
        for code in [PostgresError.Code.connectionLost, .connectionFailed, .timeout, .connectionClosed] {
            #expect(Self.wait(PostgresError(code, "")) == "database_away")
        }
    }

    @Test("a fault of the statement, and what a handler says about the photo, stay what they are")
    func others() {
        #expect(Self.wait(PostgresError(.server, "", sqlState: SQLState("23514"))) == nil)
        #expect(Self.wait(AttemptError.rejected("too_big", "Too big.")) == nil)
        #expect(Self.wait(AttemptError(.rendererDied(Reason(code: "renderer_died", message: "")))) == nil)
        if case .cancelled = AttemptEnds.failure(
            of: PostgresError(.connectionLost, ""), stoppedBy: .cancelled)
        {
        } else {
            Issue.record("a cancelled job must not wait")
        }
    }
}
