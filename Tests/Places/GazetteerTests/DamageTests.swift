import Glibc
import TestKit
import Testing

@testable import Gazetteer

@Suite(.computing) struct DamageTests {
    /// Around Paris and on the antimeridian; small, because every byte is damaged in turn.
    private static let borders =
        #"{"features":["#
        + [
            Fixture.feature(
                #""ISO_A2":"FR""#, "Polygon",
                "[\(Fixture.square(west: 2.3, south: 48.7, east: 2.7, north: 48.9))]"),
            Fixture.feature(
                #""ISO_A2":"FJ""#, "Polygon",
                "[\(Fixture.square(west: 179.9, south: -17, east: 180, north: -16.7))]"),
        ].joined(separator: ",") + "]}"

    /// Opens damaged bytes and queries everything: the result is an answer or an error of ours, never a crash.
    private func survives(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> GazetteerError.Code? {
        let path = try folder.write(bytes, to: "damaged")
        do throws(GazetteerError) {
            let gazetteer = try Gazetteer(path: path)
            for (latitude, longitude) in [
                (47.6, -122.3), (-16.8, 180.0), (-90.0, 0.0), (0.0, 0.0), (48.8, 2.3), (48.8, 2.4),
                (48.75, 2.71),
            ] {
                if let point = Coordinate(latitude: latitude, longitude: longitude) {
                    let answer = gazetteer.reverse(point)
                    _ = answer.city(at: point)
                    if let place = answer.place { _ = place.coordinate.distance(to: point) }
                }
            }
            for text in ["Springfield", "東京", "Costa Rica", "Seattle, WA", "paris fr", "Seatle", "San Fran"] {
                _ = gazetteer.forward(text)
                _ = gazetteer.suggest(text)
            }
            _ = gazetteer.info
            try gazetteer.verify()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `refuses a file truncated at any length`() throws {
        let folder = try TemporaryFolder()
        _ = try Fixture.gazetteer(in: folder, borders: Self.borders)
        let whole = try TemporaryFolder.read("\(folder.path)/index")
        let lengths = Array(0...600) + stride(from: 601, to: whole.count, by: 97) + [whole.count - 1]
        for length in lengths {
            let code = try survives(Array(whole[..<length]), in: folder)
            #expect(code == (length < 8 ? .notAnIndex : .truncated), "cut at \(length)")
        }
        #expect(try survives(whole + [0], in: folder) == .corrupt)
    }

    @Test func `refuses a header or section table with any bit wrong`() throws {
        let folder = try TemporaryFolder()
        _ = try Fixture.gazetteer(in: folder, borders: Self.borders)
        let whole = try TemporaryFolder.read("\(folder.path)/index")
        let tableEnd = 64 + 40 * Int(whole[24])
        for offset in 0..<tableEnd {
            var damaged = whole
            damaged[offset] ^= 1 << (offset % 8)
            let code = try survives(damaged, in: folder)
            switch offset {
            case 0..<8: #expect(code == .notAnIndex)
            case 8..<12, 32..<36: #expect(code == .unsupportedVersion)
            default: #expect(code != nil, "byte \(offset)")
            }
        }
    }

    @Test func `answers or refuses with any wrong byte, and verify finds it`() throws {
        let folder = try TemporaryFolder()
        _ = try Fixture.gazetteer(in: folder, borders: Self.borders)
        let whole = try TemporaryFolder.read("\(folder.path)/index")
        for offset in stride(from: 64 + 40 * Int(whole[24]), to: whole.count, by: 3) {
            var damaged = whole
            damaged[offset] = offset % 2 == 0 ? 0xFF : damaged[offset] ^ 0x81
            guard damaged[offset] != whole[offset] else { continue }
            #expect(try survives(damaged, in: folder) == .corrupt, "byte \(offset)")
        }
    }

    /// Damage covered by a valid checksum: what a faulty builder could write.
    @Test func `survives sections full of noise`() throws {
        let folder = try TemporaryFolder()
        _ = try Fixture.gazetteer(in: folder, borders: Self.borders)
        let whole = try TemporaryFolder.read("\(folder.path)/index")
        let tableEnd = 64 + 40 * Int(whole[24])
        var random = SplitMix(state: 11)
        for _ in 0..<200 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...400, using: &random) {
                damaged[Int.random(in: tableEnd..<whole.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            #expect(try survives(damaged, in: folder) == .corrupt)
        }
    }

    @Test func `says what is wrong with a path`() throws {
        let folder = try TemporaryFolder()
        for (path, code) in [
            ("\(folder.path)/none", GazetteerError.Code.io), (folder.path, .io),
            (try folder.write("", to: "empty"), .notAnIndex),
            (try folder.write("hello, world", to: "text"), .notAnIndex),
        ] {
            let error = try #require(throws: GazetteerError.self) { try Gazetteer(path: path) }
            #expect(error.code == code)
            #expect(error.file == path)
        }
    }

    /// Letters that never end, one below the other.
    @Test(arguments: [0xF0, 0xE0, 0xC3, 0x73] as [UInt8])
    func `walks a trie no deeper than any name`(byte: UInt8) {
        var nodes: [UInt8] = []
        for _ in 0..<20_000 {
            var length = (nodes.count + 1) << 1
            // From the end to the beginning: a label, the length, the weight, and a head without claims.
            nodes.append(byte)
            var varint: [UInt8] = []
            while length >= 0x80 {
                varint.append(UInt8(length & 0x7F | 0x80))
                length >>= 7
            }
            varint.append(UInt8(length))
            nodes += varint.reversed() + [0xFF, 0]
        }
        let section = [0, 0, 0, 0, 3, 0, 0, 0] + nodes.reversed()
        section.withUnsafeBytes { bytes in
            let trie = NameTrie(section: ByteSection(bytes))
            trie.forEachName(like: Array("ssssssss".unicodeScalars.map(\.value)), tolerance: 2) { _, _, _ in
                Issue.record("no node has a name")
            }
        }
    }

    @Test func `reads no node beyond its end`() {
        // A leaf that claims to have a number of claims behind it.
        for rest: [UInt8] in [[], [0], [0, 0], [0x80], [0xFF, 0xFF]] {
            let section = [0, 0, 0, 0, 3, 0, 0, 0, 0x30, 0xFF, 0x02, 0x73] + rest
            section.withUnsafeBytes { bytes in
                let trie = NameTrie(section: ByteSection(bytes))
                for end in trie.roots.lowerBound...trie.roots.upperBound {
                    guard let node = trie.node(at: trie.roots.lowerBound, in: trie.roots.lowerBound..<end)
                    else {
                        continue
                    }
                    #expect(node.claims <= node.children && node.children <= node.end && node.end <= end)
                }
            }
        }
    }

    @Test func `searches points at any distance`() {
        for distance in [0, 1, 0x1p31, 0x1p32, 0x1p61, 0x1p62, .infinity] {
            #expect(PlaceTree.Search.squared(distance) > 0)
        }
    }
}
