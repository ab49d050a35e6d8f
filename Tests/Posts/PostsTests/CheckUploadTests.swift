import Postgres
import Posts
import TestKit
import Testing

@Suite("A check before an upload", .timeLimit(.minutes(15)))
struct CheckUploadTests {
    @Test("says once what is wrong with an argument, and not that it is missing too")
    func once() async throws {
        try await QueueDatabase.with { (database: QueueDatabase) async throws -> Void in
            _ = try await PostingPolicyStore(pool: database.pool).set(note: "x") {
                $0.headlineRequired = true
                $0.captionRequired = true
                $0.categoryRequired = true
            }
            let good = [
                "headline": "'a'", "caption": "'b'", "category": "'c'", "latitude": "1", "longitude": "2",
                "has_photo": "false",
            ]
            for (wrong, value) in [
                ("headline", "repeat('x', 201)"), ("caption", "repeat('x', 5001)"),
                ("category", "repeat('x', 101)"),
                ("latitude", "91"), ("longitude", "'NaN'"),
            ] {
                var arguments = good
                arguments[wrong] = value
                let list = arguments.map { "\($0) => \($1)" }.joined(separator: ", ")
                #expect(
                    try await database.texts(
                        "select argument from darkroom.check_upload('ada', \(unescaped: list))")
                        == [wrong])
            }
            #expect(
                try await database.texts(
                    "select argument from darkroom.check_upload('ada', 'a', 'b', category => 'c', place_text => repeat('x', 201), has_photo => false)"
                ) == ["place_text"])
        }
    }
}
