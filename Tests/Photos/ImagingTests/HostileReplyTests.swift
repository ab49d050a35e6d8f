import FoundationEssentials
import Testing

@testable import Imaging

/// What a renderer that has been taken over says of a photo.
@Suite("A renderer's reply", .timeLimit(.minutes(15)))
struct HostileReplyTests {
    /// A reply with a value in every field. Each text stands in it once.
    private static let sound: String = {
        var report = PhotoReport(format: .jpeg, width: 16, height: 16)
        report.gps = .invalid(reason: "POSITION")
        report.captureTime = CaptureTime(
            local: "2024-05-07T09:33:04.25", offsetMinutes: 120, offsetSource: .offsetTag,
            instant: Date(timeIntervalSince1970: 1_715_067_184))
        report.cameraMake = "MAKE"
        report.cameraModel = "MODEL"
        report.credit = PhotoCredit(
            creator: "CREATOR", credit: "CREDIT", copyright: "COPYRIGHT", licence: "https://licence.example")
        report.claimGenerator = "GENERATOR"
        report.colourDescription = "COLOUR"
        report.stripped = ["STRIPPED"]
        report.exifFields = 12
        report.thumbHash = [1, 2, 3, 4, 5]
        report.pdq = PDQHash(words: [11, 12, 13, 14], quality: 77)
        let reply = RenderReply.verdict(
            id: 0, .rejected(PhotoRejection(.corrupt, "MESSAGE", detail: "DETAIL"), report), cpu: StageTimes()
        )
        return String(decoding: try! JSONEncoder().encode(reply), as: UTF8.self)
    }()

    private static let texts = [
        "MESSAGE", "DETAIL", "POSITION", "MAKE", "MODEL", "CREATOR", "CREDIT", "COPYRIGHT", "GENERATOR",
        "COLOUR",
        "STRIPPED",
    ]

    @Test("is believed if a photo can have what it says")
    func sound() async throws {
        try await Escapee.with("none") { (escapee: Escapee) async throws -> Void in
            let answer = try await escapee.attempt("say", Self.sound)
            #expect(answer == "MESSAGE")
        }
    }

    @Test(
        "is no text that steers a terminal, that the database cannot store, or that is longer than any of ours",
        arguments: texts)
    func hostile(field: String) async throws {
        let values = [
            #"a\u0000b"#, #"\u001b[2J"#, #"\u009b2J"#, #"a\nb"#, #"\u202eb"#, #"\u2028"#,
            String(repeating: "x", count: 3000),
        ]
        try await Escapee.with("none") { (escapee: Escapee) async throws -> Void in
            for value in values {
                let said = Self.sound.replacing("\"\(field)\"", with: "\"\(value)\"")
                try #require(said != Self.sound)
                let answer = try await escapee.attempt("say", said)
                #expect(answer == "protocolViolation", "\(value)")
            }
        }
    }

    @Test(
        "has no number that no photo can have",
        arguments: [
            (#""width":16"#, #""width":0"#), (#""height":16"#, #""height":-1"#),
            (#""height":16"#, #""height":9000000000000000000"#),
            (#""orientation":1"#, #""orientation":9"#), (#""frames":1"#, #""frames":0"#),
            (#""exifFields":12"#, #""exifFields":-1"#), (#"[1,2,3,4,5]"#, #"[1,2,3,4]"#),
            (#"[11,12,13,14]"#, #"[11,12,13]"#), (#"[11,12,13,14]"#, #"[11,12,13,14,15]"#),
            (#"[11,12,13,14]"#, #"[]"#), (#""quality":77"#, #""quality":101"#),
            (#""quality":77"#, #""quality":-1"#),
            (#"09:33:04.25"#, #"09:33:04.1234567"#), (#"2024-05-07T"#, #"2024-05-07 "#),
            (#"2024-05-07T09"#, #"T09"#),
            (#"2024-05-07"#, #"yyyy-mm-dd"#), (#""offsetMinutes":120"#, #""offsetMinutes":841"#),
        ])
    func impossible(part: String, other: String) async throws {
        let said = Self.sound.replacing(part, with: other)
        try #require(said != Self.sound)
        try await Escapee.with("none") { (escapee: Escapee) async throws -> Void in
            let answer = try await escapee.attempt("say", said)
            #expect(answer == "protocolViolation")
        }
    }

    @Test("is not the only thing that is read: what it writes to its standard error is cleaned")
    func standardError() async throws {
        try await Escapee.with("none") { (escapee: Escapee) async throws -> Void in
            let error = try await escapee.failure("die first\n\u{1B}[2Jhe\0ap\u{202E}\n")
            #expect(error.diagnostics == "first\n [2Jhe ap ")
        }
    }
}
