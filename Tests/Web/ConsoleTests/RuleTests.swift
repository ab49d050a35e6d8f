import Testing

@testable import Console

@Suite("Rules of the console's provider")
struct RuleTests {
    @Test("give a role and say whether the person may act")
    func roles() throws {
        let operators = try #require(SignInProvider.Rule("operator groups=admins"))
        #expect(operators.role == .operator && operators.mayAct)
        #expect(operators.claim == "groups" && operators.value == "admins")
        let readers = try #require(SignInProvider.Rule("moderator-readonly role=a b=c"))
        #expect(readers.role == .moderator && !readers.mayAct && readers.value == "a b=c")
    }

    @Test(
        "of another form are none",
        arguments: [
            "", "operator", "operator groups", "operator groups=", "operator =x", "king groups=x",
            "-readonly a=b",
            "operator-readonly-readonly a=b", "operator-readonlyx a=b", "readonly-operator a=b",
        ])
    func others(text: String) { #expect(SignInProvider.Rule(text) == nil) }
}
