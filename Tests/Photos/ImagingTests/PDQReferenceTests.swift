import ChildProcess
import FoundationEssentials
import Imaging
import TestKit
import Testing

/// Hashes of rendered photos, compared with those of the whole photos by the reference implementation.
///
/// The renderer hashes a reduced picture. Lists have hashes of whole ones, so both must be nearly the same.
@Suite(.computing, .timeLimit(.minutes(15))) struct PDQReferenceTests {
    /// Bits of 256 in which a rendered photo's hash may differ from that of the whole photo. Photos match within 31.
    static let most = 10

    /// What the reference reads of each photo; nil if Pillow cannot read it.
    static func reference(_ paths: [String]) async throws -> [PDQHash?] {
        let folder = "Tests/Photos/Reference"
        let python = try await PythonEnvironment.interpreter(
            "reference", requirements: folder + "/requirements.txt")
        let output = try await ChildProgram(python, ["\(Checkout.root)/\(folder)/pdq.py"] + paths)
            .runSuccessfully()
        let lines = output.standardOutput.split(separator: "\n")
        try #require(lines.count == paths.count)
        return try lines.map { line in
            let fields = line.split(separator: "\t")
            guard fields[0] != "-" else { return nil }
            let digits = Array(fields[0])
            return PDQHash(
                words: try (0..<4).map {
                    try #require(UInt64(String(digits[$0 * 16..<$0 * 16 + 16]), radix: 16))
                }, quality: try #require(Int(fields[1])))
        }
    }

    /// The distances of the photos that are good enough to be compared, by both.
    static func distances(_ photos: [(name: String, path: String)]) async throws -> [String: Int] {
        var distances: [String: Int] = [:]
        for (photo, expected) in zip(photos, try await reference(photos.map(\.path))) {
            guard let expected, let bytes = SharedData.contents(photo.path),
                let found = try await render(bytes).report?.pdq
            else { continue }
            // The files of each kind of quality: both say so.
            #expect(abs(found.quality - expected.quality) <= 3, "\(photo.name)")
            guard min(found.quality, expected.quality) >= PDQHash.leastQuality else { continue }
            distances[photo.name] = found.distance(to: expected)
        }
        return distances
    }

    @Test("photos made by code have nearly the reference's hash, in every format, size and orientation")
    func made() async throws {
        try await withTemporaryDirectory { (folder: String) async throws -> Void in
            var photos: [(name: String, path: String)] = []
            func add(_ name: String, _ bytes: [UInt8]) throws {
                try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
                photos.append((name, "\(folder)/\(name)"))
            }
            for (width, height) in [(2400, 1800), (1081, 1080), (700, 2100), (511, 300), (90, 70)].every(2) {
                for seed in Extent.of(1...1, check: 1...3) {
                    try add(
                        "\(width)-\(seed).jpg", PhotoFixture.jpeg(width: width, height: height, seed: seed))
                    try add(
                        "\(width)-\(seed).webp", PhotoFixture.webp(width: width, height: height, seed: seed))
                }
            }
            for orientation in Extent.of([5, 8], check: Array(2...8)) {
                try add(
                    "turned-\(orientation).jpg",
                    PhotoFixture.jpeg(width: 1600, height: 1200, orientation: orientation, seed: 1))
            }
            try add("plain.png", PhotoFixture.png())
            try add("noise.jpg", PhotoFixture.noise(width: 800, height: 600))
            let distances = try await Self.distances(photos)
            #expect(distances.count >= Extent.of(5, check: 20))
            #expect(distances.filter { $0.value > Self.most } == [:])
        }
    }

    /// Where the reference's decoder sees another picture than a browser does.
    static let exceptions: [String: String] = [
        "avif_10bit_hdr_p3_20mp.avif": "Pillow does not map light of high dynamic range",
        "avif_kimono_imir_irot_clap.avif": "Pillow does not crop",
        "png_16bit.png": "Pillow clips 16 bits",
        "png_xmp_orientation.png": "Pillow turns PNG by XMP",
    ]

    @Test(
        "real photos have nearly the reference's hash",
        .enabled(if: SharedData.root != nil, "the shared data is missing: set DARKROOM_TEST_DATA"))
    func real() async throws {
        let folder = try #require(SharedData.root) + "/photos/"
        let names = SharedPhotosTests.photos.compactMap { $0["file"] }.every(5)
        let distances = try await Self.distances(names.map { ($0, folder + $0) }).filter {
            Self.exceptions[$0.key] == nil
        }
        #expect(distances.count >= Extent.of(15, check: 90))
        #expect(distances.filter { $0.value > Self.most } == [:])
        #expect(Double(distances.values.filter { $0 <= 2 }.count) >= 0.7 * Double(distances.count))
    }
}
