import Imaging
import TestKit
import Testing

/// Placeholder and perceptual hash, compared with other implementations on the same pixels.
@Suite(.computing, .timeLimit(.minutes(15))) struct HashTests {
    /// No coefficient of these pictures is so close to a rounding boundary that machines could differ.
    ///
    /// `rgba_to_thumbhash` of thumbhash-python 1.0.1 (https://pypi.org/project/thumbhash-python/).
    @Test(arguments: [
        (100, 75, false, "1b09061586d09576327b786397477666f031139f33"),
        (75, 100, false, "1b09020d04d075115c38a41786624746c01114cf71"),
        (100, 100, false, "1b09020f06e09566126c7853892777496666062e21f02a05"),
        (60, 20, true, "5b19861a8c3bf285758896f183288f9760777578877877"),
        (100, 3, false, "d4070a3198a0767772875788709205daa7"),
        (33, 32, true, "5b19820d8429e267240c93ab34b08125ef5370777078877777"),
    ])
    func thumbHashesAreThoseOfOthers(width: Int, height: Int, isTransparent: Bool, expected: String) {
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let isLit = (x / 8 + y / 8) % 2 == 1
                let blue = isLit ? (x * 13 + y * 29) % 256 : 40
                let alpha = isTransparent ? min(255, (x + y) * 5) : 255
                let red = x < y * 2 ? (x * x * 3 + y * 17 + x * y * 5) % 251 : 255 * x * x / (width * width)
                let green = (255 * y * y * y / (height * height * height) + x * x * y) % 256
                rgba += [red, green, blue, alpha].map { UInt8($0) }
            }
        }
        let hash = ThumbHash.hash(rgba: rgba, width: width, height: height)
        #expect(hash.hexadecimal == expected)
        #expect(hash.count <= ThumbHash.maximumBytes)
    }

    /// `imagehash.phash` of ImageHash 4.3 (https://pypi.org/project/ImageHash/).
    @Test func perceptualHashesAreThoseOfOthers() {
        func hash(_ level: (Int, Int) -> Int) -> String {
            let grey = (0..<32).flatMap { y in (0..<32).map { x in UInt8(level(x, y)) } }
            return PerceptualHash(grey: grey).hexadecimal
        }
        #expect(hash { x, y in (x * x + y * y * 3) % 256 } == "8e0e060e073e7e7e")
        #expect(hash { x, y in (x * x * 3 + y * 17 + x * y * 5) % 251 } == "d22d238241b737db")
        #expect(hash { x, y in (x * y * 7 + y * y * 11 + x * 31) % 256 } == "dc622df258759e21")
    }

    @Test func copiesOfAPhotoHaveNearHashes() async throws {
        let large = try await render(PhotoFixture.jpeg(width: 2400, height: 1800, seed: 3))
        let small = try await render(PhotoFixture.webp(width: 640, height: 480, seed: 3))
        let turned = try await render(
            PhotoFixture.jpeg(width: 300, height: 400, orientation: 6, seed: 3))
        let mirrored = try await render(PhotoFixture.mirrored(width: 640, height: 480))
        let hashes = try [large, small, turned, mirrored].map { try #require($0.report?.perceptualHash) }
        #expect(hashes[0].distance(to: hashes[1]) <= 12)
        #expect(hashes[0].distance(to: hashes[2]) <= 12)
        #expect(hashes[0].distance(to: hashes[3]) >= 16)
    }

    @Test func aRenderedPhotoHasAPlaceholderOfItsColours() async throws {
        let photo = try await render(PhotoFixture.jpeg(width: 800, height: 600))
        let hash = try #require(photo.report?.thumbHash)
        // The mean brightness in the header (6 bits) is that of the picture's four colours. Bit 39 means landscape.
        let mean = Double(hash[0] & 63) / 63
        #expect(abs(mean - 0.45) < 0.08)
        #expect(hash[4] & 0x80 != 0)
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
