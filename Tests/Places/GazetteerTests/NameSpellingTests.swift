import TestKit
import Testing

@testable import Gazetteer

@Suite(.computing) struct NameSpellingTests {
    private static func roundTrip(_ name: String, of key: [UInt8]) -> String {
        let encoded = NameSpelling.encoded(Array(name.utf8), of: key)
        return encoded.withUnsafeBytes { String(decoding: NameSpelling.decoded($0, of: key), as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("saint denis", "Saint Denis", 0), ("saint denis", "Saint-Denis", 2),
            ("rio de janeiro", "Rio de Janeiro", 3),
            ("villa de leyva", "Villa de leyva", 2), ("stratford upon avon", "Stratford-upon-avon", 2),
            ("санкт петербург", "Санкт Петербург", 0), ("αθηνα", "Αθηνα", 0), ("東京", "東京", 0),
            ("4bezirk", "4.Bezirk", 4),
            ("ა", "ა", 0),
        ])
    func `is short for what is nearly as usual`(key: String, name: String, byteCount: Int) {
        let key = Array(key.utf8)
        let isUsual = NameSpelling.usual(key).elementsEqual(name.utf8)
        #expect(isUsual == (byteCount == 0))
        if !isUsual { #expect(NameSpelling.encoded(Array(name.utf8), of: key).count == byteCount) }
        #expect(Self.roundTrip(name, of: key) == name)
    }

    /// Also names that have nothing in common with their folded form, and all lengths that are counted in a byte.
    @Test func `gives back every name`() {
        var random = SplitMix(state: 5)
        let letters = Array("aAbB 12-'.éÉßжЖλΛ東𐐷\u{301}ა").map(String.init)
        for _ in 0..<20_000 {
            let name = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? ""
            }
            .joined()
            guard name.utf8.count <= 255 else { continue }
            let own = NameFolding.key(name)
            let other = NameFolding.key(String(name.shuffled(using: &random)))
            for key in [own, other] { #expect(Self.roundTrip(name, of: key) == name, "\(name)") }
        }
        for count in 1...255 {
            let name = String(repeating: "A", count: count)
            for key in [name.lowercased(), "a", "b" + name.lowercased()] {
                #expect(Self.roundTrip(name, of: Array(key.utf8)) == name)
            }
        }
    }

    @Test func `leads nowhere if it is damaged`() {
        var random = SplitMix(state: 6)
        let key = Array("санкт петербург".utf8)
        for _ in 0..<10_000 {
            let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(bytes.withUnsafeBytes { NameSpelling.decoded($0, of: key) }.count <= key.count + 9)
        }
    }
}
