import ChildProcess
import Postgres
import TestKit
import Testing

@Suite("darkroom settings", .timeLimit(.minutes(10)))
struct SettingsCommandTests {
    @Test("lists each setting with its meaning, and changes it within its rule")
    func settings() async throws {
        try await Installation.with { (darkroom: Installation) async throws -> Void in
            let listed = try await darkroom.json("settings", "list")
            #expect(listed.count > 20)
            #expect(listed.allSatisfy { $0.string("value") == $0.string("usual") })
            #expect(
                !listed.contains {
                    ["installation", "media_identity", "is_only_row"].contains($0.string("setting"))
                })
            for (name, value, earlier) in [
                ("history_days", "90", "30"), ("unique_names", "false", "true"),
                ("like_gathering", "1 hour", "00:10:00"),
                ("activity_days", "none", "365"), ("anonymous_within", "post", "category"),
            ] {
                let changed = try #require(try await darkroom.json("settings", "set", name, value).first)
                #expect(changed.string("earlier") == earlier)
                let now = try #require(try await darkroom.json("settings", "list", name).first)
                #expect(now.string("usual") == earlier)
                #expect(
                    now.string("value") == (value == "none" ? nil : value == "1 hour" ? "01:00:00" : value))
            }
            let explained = try await darkroom.darkroom("settings", "list", "draft_days")
            #expect(explained.standardOutput.contains("Days for which a draft is kept"))
            for (name, value, code, words) in [
                ("history_days", "0", 64, "history days is 1 to 3650"),
                ("history_days", "soon", 64, "history_days cannot be soon"),
                ("history_days", "none", 64, "history_days cannot be none"),
                ("installation", "x", 64, "no setting installation"),
                ("history_days = 1; --", "5", 64, "there is no setting"),
                ("unique_names", "maybe", 64, "cannot be maybe"),
                ("anonymous_within", "x", 64, "post activity category or app"),
                ("like_gathering", "-1 second", 64, "like gathering is 0 to 1 day"),
                ("history_days", "99999999999", 64, "cannot be"),
            ] {
                let refused = try await darkroom.darkroom("settings", "set", "--", name, value)
                #expect(refused.ending == .exited(Int32(code)), "\(name) \(value): \(refused.standardError)")
                #expect(refused.standardError.contains(words), "\(refused.standardError)")
            }
            let unknown = try await darkroom.darkroom("settings", "list", "days")
            #expect(
                unknown.ending == .exited(64) && unknown.standardError.contains("there is no setting days"))
            let recorded = try await darkroom.database.pool.query(
                "select action, target from darkroom.operator_actions where target = 'setting history_days' order by action_id"
            )
            #expect(try recorded[0].decode("action", as: String.self) == "set history_days")
        }
    }
}
