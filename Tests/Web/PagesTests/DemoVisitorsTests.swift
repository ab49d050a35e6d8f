import FoundationEssentials
import Pages
import Testing
import Tokens

@Suite("Visitors of the demo")
struct DemoVisitorsTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("are different people, whom only their own tokens name")
    func people() throws {
        let visitors = DemoVisitors()
        let identities = (0..<50).map { _ in visitors.newcomer(at: now) }
        #expect(Set(identities.map(\.person)).count == 50)
        for identity in identities {
            #expect(visitors.caller(token: identity.token[...], at: now)?.person == identity.person)
            #expect(DemoVisitors().caller(token: identity.token[...], at: now) == nil, "another server's key")
        }
    }

    @Test("stay the same with a new token, which ends")
    func ends() {
        let visitors = DemoVisitors()
        let first = visitors.newcomer(at: now)
        let later = now.addingTimeInterval(Double(DemoVisitors.lifetimeSeconds) - 1)
        let second = visitors.identity(of: first.person, at: later)
        #expect(visitors.caller(token: first.token[...], at: later)?.person == first.person)
        let end = later.addingTimeInterval(1)
        #expect(visitors.caller(token: first.token[...], at: end) == nil)
        #expect(visitors.caller(token: second.token[...], at: end)?.person == first.person)
    }

    @Test("cannot change a byte of a token")
    func changes() {
        let visitors = DemoVisitors()
        let token = Array(visitors.newcomer(at: now).token.utf8)
        for index in token.indices {
            for bit in 0..<8 {
                var changed = token
                changed[index] ^= 1 << UInt8(bit)
                let text = String(decoding: changed, as: UTF8.self)
                // The digits of the signature may be written with capitals.
                guard text.lowercased() != String(decoding: token, as: UTF8.self).lowercased() else {
                    continue
                }
                #expect(visitors.caller(token: text[...], at: now) == nil, "byte \(index), bit \(bit)")
            }
        }
        #expect(visitors.caller(token: "demo_", at: now) == nil)
        #expect(visitors.caller(token: "demo_.", at: now) == nil)
    }
}
