import FoundationEssentials
import TestKit
import Testing

@testable import Imaging

@Suite("The rendering's configuration")
struct RenderConfigurationTests {
    private static func read(_ json: String) throws -> RenderConfiguration {
        try RenderConfiguration(json: Data(json.utf8))
    }

    @Test("has the defaults for what is left out")
    func defaults() throws {
        #expect(try Self.read("{}") == RenderConfiguration())
        let some = try Self.read(#"{"limits": {"megapixels": 50, "cpu_seconds": 10}}"#)
        #expect(some.limits.pixels == 50_000_000 && some.limits.cpuSeconds == 10)
        #expect(some.limits.scans == RenderLimits().scans && some.recipe == .standard)
    }

    @Test("is in the README as it is")
    func readme() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let example = try #require(text.split(separator: "<!-- example: rendering -->\n```json\n").last)
        let json = try #require(example.split(separator: "\n```").first)
        #expect(try Self.read(String(json)) == RenderConfiguration())
        // Every limit that there is, so that the README hides none.
        for name in RenderLimits.adjustable.keys { #expect(json.contains("\"\(name)\""), "\(name)") }
    }

    @Test("names a recipe of one's own")
    func recipe() throws {
        let read = try Self.read(
            """
            {"recipe": {"name": "feed", "version": 2, "renditions": [
                {"name": "wide", "fit": 1200, "quality": 75}, {"name": "tile", "square": 200}]}}
            """)
        #expect(
            read.recipe
                == Recipe(
                    name: "feed", version: 2,
                    renditions: [
                        RenditionSpec(name: "wide", shape: .fit(longSide: 1200), quality: 75),
                        RenditionSpec(name: "tile", shape: .square(side: 200), quality: 82),
                    ]))
    }

    static let mistakes: [(json: String, place: String, says: String)] = [
        ("[1", "", "not valid JSON"),
        (#"{"limit": {}}"#, "", #""limit" is not known; known are limits, recipe"#),
        (#"{"limits": {"megapixel": 5}}"#, "limits", #""megapixel" is not known"#),
        (#"{"limits": {"megapixels": "5"}}"#, "limits.megapixels", "type Double"),
        (#"{"limits": {"scans": 0}}"#, "limits.scans", "0 is not within 1 to 1000"),
        (#"{"recipe": {"name": "x", "version": 1}}"#, "recipe", #""renditions" is missing"#),
        (#"{"recipe": {"name": "x", "version": 1, "renditions": []}}"#, "recipe.renditions", "1 to 8"),
        (
            #"{"recipe": {"name": "x", "version": 1, "renditions": [{"name": "a"}]}}"#,
            "recipe.renditions[0]", #"either "fit""#
        ),
        (
            #"{"recipe": {"name": "x", "version": 1, "renditions": [{"name": "../a", "fit": 99}]}}"#,
            "recipe.renditions[0].name", "a to z"
        ),
        (
            #"{"recipe": {"name": "x", "version": 1, "renditions": [{"name": "a", "fit": 99}, {"name": "a", "fit": 98}]}}"#,
            "recipe.renditions[1].name", "twice"
        ),
        (
            #"{"recipe": {"name": "x", "version": 1, "renditions": [{"name": "a", "fit": 9}]}}"#,
            "recipe.renditions[0]", "16 to 8192"
        ),
    ]

    @Test("says where a mistake is and what would be right", arguments: mistakes)
    func mistake(json: String, place: String, says: String) throws {
        let failure = try #require(
            #expect(throws: RenderConfiguration.Failure.self) { try Self.read(json) })
        #expect(failure.place == place)
        #expect(failure.message.contains(says), "\(failure)")
    }

    /// A photo and the limit that it exceeds by a hair, and its reason.
    @Test(
        "limits hold at their figure: a photo at the limit passes, above it is refused with the limit's reason"
    )
    func budgets() async throws {
        let photo = PhotoFixture.jpeg(width: 400, height: 300)
        func reason(_ change: (inout RenderLimits) -> Void) async throws -> PhotoRejection.Code? {
            var limits = RenderLimits()
            change(&limits)
            let pool = RendererPool(executable: rendererPath!, size: 1, limits: limits)
            let rendered = try await render(photo, pool: pool)
            await pool.shutdown()
            return rendered.rejection
        }
        for (code, passes, refused) in [
            (.tooManyBytes, { $0.bytes = photo.count }, { $0.bytes = photo.count - 1 }),
            (.tooManyPixels, { $0.pixels = 120_000 }, { $0.pixels = 119_999 }),
            (.sideTooLong, { $0.side = 400 }, { $0.side = 399 }),
            (.tooManyFrames, { $0.framePixels = 120_000 }, { $0.framePixels = 119_999 }),
            (.tooManyScans, { $0.scans = 1 }, { $0.scans = 0 }),
            (.tooMuchMemory, { $0.decodingBytes = 102_400 }, { $0.decodingBytes = 102_399 }),
        ] as [(PhotoRejection.Code, (inout RenderLimits) -> Void, (inout RenderLimits) -> Void)] {
            let atLimit = try await reason(passes)
            let above = try await reason(refused)
            #expect(atLimit == nil, "\(code)")
            #expect(above == code)
        }
    }
}
