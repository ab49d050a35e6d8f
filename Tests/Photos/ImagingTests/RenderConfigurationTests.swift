import FoundationEssentials
import TestKit
import Testing

@testable import Imaging

@Suite("The rendering configuration", .computing, .timeLimit(.minutes(15)))
struct RenderConfigurationTests {
    private static func read(_ json: String) throws -> RenderConfiguration {
        try RenderConfiguration(json: Data(json.utf8))
    }

    @Test("has defaults for everything that is left out")
    func defaults() throws {
        #expect(try Self.read("{}") == RenderConfiguration())
        let some = try Self.read(#"{"limits": {"megapixels": 50, "cpu_seconds": 10}}"#)
        #expect(some.limits.pixels == 50_000_000 && some.limits.cpuSeconds == 10)
        #expect(some.limits.scans == RenderLimits().scans && some.recipe == .standard)
    }

    @Test("has the defaults that docs/recipes.md shows")
    func page() throws {
        let text = try String(contentsOf: URL(filePath: Checkout.root + "/docs/recipes.md"), encoding: .utf8)
        let example = try #require(text.split(separator: "<!-- example: rendering -->\n```json\n").last)
        let json = try #require(example.split(separator: "\n```").first)
        #expect(try Self.read(String(json)) == RenderConfiguration())
        // The page must show every limit.
        for name in RenderLimits.adjustable.keys.map(\.self) + [
            "accept_truncated", "keep_camera", "keep_credit", "keep_direction",
        ] {
            #expect(json.contains("\"\(name)\""), "\(name)")
        }
    }

    @Test("can name a custom recipe")
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
                        RenditionSpec(
                            name: "wide", shape: .fit(longSide: 1200), encoding: .jpeg(quality: 75)),
                        RenditionSpec(name: "tile", shape: .square(side: 200), encoding: .jpeg(quality: 82)),
                    ]))
    }

    static let mistakes: [(json: String, place: String, says: String)] = [
        ("[1", "", "not valid JSON"),
        (
            #"{"limit": {}}"#, "",
            #""limit" is unknown; use one of accept_truncated, keep_camera, keep_direction, limits, recipe"#
        ),
        (#"{"limits": {"megapixel": 5}}"#, "limits", #""megapixel" is unknown"#),
        (#"{"limits": {"megapixels": "5"}}"#, "limits.megapixels", "type Double"),
        (#"{"limits": {"scans": 0}}"#, "limits.scans", "0 is not between 1 and 1000"),
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
            "recipe.renditions[1].name", "two renditions are named a"
        ),
        (
            #"{"recipe": {"name": "x", "version": 1, "renditions": [{"name": "a", "fit": 9}]}}"#,
            "recipe.renditions[0]", "16 and 8192"
        ),
        (Self.one(#""fit": 99, "format": "bmp""#), "recipe.renditions[0].format", "jpeg, webp, avif"),
        (Self.one(#""fit": 99, "fidelity": "half""#), "recipe.renditions[0].fidelity", "quick, full"),
        (Self.one(#""fit": 99, "crop": "attention""#), "recipe.renditions[0]", #"needs "square""#),
        (Self.one(#""square": 99, "crop": "left""#), "recipe.renditions[0].crop", "centre, attention"),
        (Self.one(#""fit": 99, "effort": 3"#), "recipe.renditions[0]", #""effort" is unknown"#),
        (
            Self.one(#""fit": 99, "format": "webp", "effort": 7"#), "recipe.renditions[0].effort",
            "0 and 6"
        ),
        (
            Self.one(#""fit": 99, "format": "avif", "animated": "keep""#), "recipe.renditions[0]",
            #""animated" is unknown"#
        ),
        (
            Self.one(#""fit": 99, "format": "webp", "animated": "all""#), "recipe.renditions[0].animated",
            "first, keep"
        ),
        (#"{"accept_truncated": "yes"}"#, "accept_truncated", "Bool"),
    ]

    private static func one(_ settings: String) -> String {
        #"{"recipe": {"name": "x", "version": 1, "renditions": [{"name": "a", \#(settings)}]}}"#
    }

    @Test("reads every format with its settings")
    func formats() throws {
        let configuration = try Self.read(
            #"""
            {"recipe": {"name": "all", "version": 3, "keep_credit": true, "renditions": [
              {"name": "a", "fit": 1000, "progressive": true},
              {"name": "b", "fit": 1000, "format": "webp"},
              {"name": "c", "square": 200, "crop": "attention", "format": "webp", "quality": 70, "effort": 4},
              {"name": "d", "fit": 500, "format": "webp", "animated": "keep"},
              {"name": "e", "fit": 500, "format": "avif", "quality": 50, "effort": 1, "fidelity": "full"}
            ]}, "accept_truncated": true, "keep_camera": true, "keep_direction": true}
            """#)
        #expect(
            configuration.recipe.renditions == [
                RenditionSpec(name: "a", shape: .fit(longSide: 1000), encoding: .jpeg(progressive: true)),
                RenditionSpec(name: "b", shape: .fit(longSide: 1000), encoding: .webp()),
                RenditionSpec(
                    name: "c", shape: .square(side: 200, crop: .attention),
                    encoding: .webp(quality: 70, effort: 4)),
                RenditionSpec(name: "d", shape: .fit(longSide: 500), encoding: .webp(isAnimated: true)),
                RenditionSpec(
                    name: "e", shape: .fit(longSide: 500), encoding: .avif(quality: 50, effort: 1),
                    fidelity: .full),
            ])
        #expect(configuration.recipe.keepsCredit && !RenderConfiguration().recipe.keepsCredit)
        #expect(
            configuration.limits.acceptsTruncated && configuration.keepsCamera && configuration.keepsDirection
        )
    }

    @Test("reports where a mistake is and what would be right", arguments: mistakes)
    func mistake(json: String, place: String, says: String) throws {
        let failure = try #require(
            #expect(throws: RenderConfiguration.Failure.self) { try Self.read(json) })
        #expect(failure.place == place)
        #expect(failure.message.contains(says), "\(failure)")
    }

    /// A photo, the limit that it slightly exceeds, and the reason of the refusal.
    @Test(
        "accepts a photo exactly at a limit and refuses one above it with the limit's reason"
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
            (.tooMuchMemory, { $0.decodingBytes = 222_400 }, { $0.decodingBytes = 222_399 }),
        ] as [(PhotoRejection.Code, (inout RenderLimits) -> Void, (inout RenderLimits) -> Void)] {
            let atLimit = try await reason(passes)
            let above = try await reason(refused)
            #expect(atLimit == nil, "\(code)")
            #expect(above == code)
        }
    }
}
