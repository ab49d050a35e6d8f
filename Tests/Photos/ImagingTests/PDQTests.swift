import Imaging
import TestKit
import Testing

/// PDQ hashes, compared with the reference implementation: `compute` of pdqhash 0.2.8 (https://pypi.org/project/pdqhash/).
@Suite(.computing, .timeLimit(.minutes(15))) struct PDQTests {
    /// A picture made by a formula.
    enum Pattern: String, CaseIterable { case sweep, rings, squares, flat }

    private static func hash(_ pattern: Pattern, width: Int, height: Int) -> PDQHash {
        PDQHash(width: width, height: height) { y, luma in
            for x in 0..<width {
                let rings = (x * x + y * y) / (width * 2) % 256
                let (red, green, blue) =
                    switch pattern {
                    case .sweep:
                        (
                            (x * x * 3 + y * 17 + x * y * 5) / 64 % 256, (x * 2 + y) / 3 % 256,
                            (y * y / 50 + x) % 256
                        )
                    case .rings: (rings, rings, rings)
                    case .squares: (x * 255 / width, y * 255 / height, (x / 16 + y / 16) % 2 * 255)
                    case .flat: (128, 128, 128)
                    }
                luma[x] = 0.299 * Float(red) + 0.587 * Float(green) + 0.114 * Float(blue)
            }
        }
    }

    /// Pictures as large as the 64 × 64 that is transformed, smaller, larger, narrow, and too narrow.
    @Test(
        "are those of the reference implementation",
        arguments: [
            (.sweep, 64, 64, "555555545555746989b5aaaaaaaa4aaad5b2b54d69559a5524b59b2d664ad936", 35),
            (.sweep, 100, 75, "651420e6c53590a51515b6e55555b4d5a5962eb76d958ab475aacf663acec91c", 100),
            (.rings, 640, 480, "3672cdd83362ccd8b3224cc993276ccddb33b6cd6933524c9493a56ca95baa54", 100),
            (.squares, 301, 517, "55550505555505055fff55555555554555771545555715455557154557ff5555", 100),
            (.sweep, 1024, 1024, "afa2b7a2bdb897257fbf9720ae3aa7a22cba57a2fc102900033579e0534a591b", 100),
            (.rings, 65, 200, "5b75acaa53d5aa2bc5d43a2984ca5b15a4aa5b55aeaa55553a2b84ea5b15a4ea", 100),
            (.sweep, 900, 12, "a96bab5aabbeac5e5cd453a15c5156a556d44a59db574d4b5cd4a2163f102b40", 100),
            (.squares, 4, 100, String(repeating: "0", count: 64), 0),
        ] as [(Pattern, Int, Int, String, Int)])
    func knownAnswers(pattern: Pattern, width: Int, height: Int, expected: String, quality: Int) {
        let hash = Self.hash(pattern, width: width, height: height)
        #expect(hash.hexadecimal == expected)
        #expect(hash.quality == quality)
    }

    @Test("of a picture of one colour have the quality 0")
    func flat() {
        #expect(Self.hash(.flat, width: 128, height: 128).quality == 0)
    }

    /// The recipes of installations differ, but lists are the same for all.
    @Test(
        "are nearly the same whatever the recipe is",
        arguments: [[1920, 1080], [2400], [1080, 64], [600, 80, 20]])
    func recipes(sides: [Int]) async throws {
        let photo = PhotoFixture.jpeg(width: 2400, height: 1800, seed: 3)
        let recipe = Recipe(
            name: "other", version: 1,
            renditions: sides.map { RenditionSpec(name: "p\($0)", shape: .fit(longSide: $0)) })
        let usual = try #require(try await render(photo).report?.pdq)
        let other = try #require(try await render(photo, recipe: recipe).report?.pdq)
        #expect(usual.quality >= PDQHash.leastQuality)
        #expect(usual.distance(to: other) <= 4)
    }

    @Test("differ by the bits in which they differ")
    func distance() {
        let hash = Self.hash(.sweep, width: 100, height: 75)
        #expect(hash.distance(to: hash) == 0)
        let other = PDQHash(words: hash.words.map { ~$0 }, quality: 0)
        #expect(hash.distance(to: other) == 256)
        let near = PDQHash(
            words: [hash.words[0] ^ 1, hash.words[1], hash.words[2], hash.words[3] ^ 1 << 63], quality: 0)
        #expect(hash.distance(to: near) == 2)
    }
}
