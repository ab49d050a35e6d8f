import Gazetteer
import Glibc
import TestKit

/// Types the names of cities, and counts what is suggested.
struct SuggestSweep {
    struct City {
        var geonameid: Int
        var name: String
        var country: String
        var population: Int
        var coordinate: Coordinate
    }

    struct Tally {
        private(set) var right = 0
        private(set) var misses: [String] = []

        var share: Double { Double(right) / Double(max(right + misses.count, 1)) }

        mutating func add(_ isRight: Bool, _ miss: @autoclosure () -> String) {
            if isRight { right += 1 } else { misses.append(miss()) }
        }
    }

    private let gazetteer: Gazetteer
    private var random: SplitMix
    var whole = Tally()
    var withCountry = Tally()
    var beginnings = Tally()
    var typos = Tally()
    var typosWithCountry = Tally()
    /// CPU time of each text, in milliseconds.
    private(set) var times: [Double] = []

    init(_ gazetteer: Gazetteer, seed: UInt64) {
        self.gazetteer = gazetteer
        random = SplitMix(state: seed)
        // The first region that an index suggests computes where all of them are.
        _ = gazetteer.suggest("California")
    }

    mutating func type(_ city: City, typos: Int) {
        let about = "\(city.name), \(city.country) (\(city.population))"
        func isCity(_ suggestion: PlaceSuggestion) -> Bool { suggestion.geonameid == city.geonameid }
        whole.add(ask(city.name).contains(where: isCity), about)
        withCountry.add(ask(city.name, city.country).prefix(3).contains(where: isCity), about)
        let letters = Array(city.name.unicodeScalars)
        for count in stride(from: 4, to: letters.count, by: 1) {
            let text = Self.text(letters[..<count])
            beginnings.add(ask(text).contains { $0.match != .misspelt }, text)
        }
        guard letters.count >= 4 else { return }
        for _ in 0..<typos {
            let text = Self.text(misspell(letters)[...])
            self.typos.add(ask(text).contains(where: isCity), "\(text): \(about)")
            typosWithCountry.add(ask(text, city.country).contains(where: isCity), "\(text): \(about)")
        }
    }

    /// The milliseconds of CPU time of the fastest of three calls: other programs slow one down.
    func milliseconds(_ text: String, near: Coordinate? = nil, country: String? = nil, limit: Int = 10)
        -> Double
    {
        (0..<3).map { _ in
            Self.time { _ = gazetteer.suggest(text, near: near, country: country, limit: limit) }
        }.min() ?? 0
    }

    private mutating func ask(_ text: String, _ country: String? = nil) -> [PlaceSuggestion] {
        var answer: [PlaceSuggestion] = []
        times.append(Self.time { answer = gazetteer.suggest(text, country: country) })
        return answer
    }

    /// One insertion, deletion, substitution or swap behind the first letter.
    private mutating func misspell(_ letters: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var typed = letters
        let index = Int.random(in: 1..<letters.count, using: &random)
        let other = Unicode.Scalar(UInt8.random(in: 0x61...0x7A, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: typed.insert(other, at: index)
        case 1: typed.remove(at: index)
        case 2: typed[index] = other
        default: typed.swapAt(max(index - 1, 1), max(index, 2))
        }
        return typed
    }

    private static func text(_ letters: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: letters)
        return String(view)
    }

    static func time(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
        let start = now()
        body()
        return now() - start
    }

    /// Texts that cost much, or look as if they could.
    static let hostile: [String] = {
        var texts = [
            "a\u{0}b\u{7}\u{1B}[31m\r\n", String(repeating: "\u{301}", count: 200), "ß, ß, ß, ß, ß, ß, ß, ß",
        ]
        texts += [
            "a", "e\u{301}", "Z", "ab", "san ", "東", "ア", "м", "א", "ا", "क", "ก", "한", "ა", "ⴰ", "🏙",
            "\u{10FFFF}",
        ]
        .flatMap { unit in [1, 3, 8, 50, 200].map { String(repeating: unit, count: $0) } }
        texts += [
            "s, s", "san, s", "a, a, a", "s s", "san jose, u", "l a", "santa maria de la cruz del norte",
        ]
        texts.append(String(repeating: "x", count: 10_000))
        texts.append((0..<24).map { _ in "sa" }.joined(separator: " "))
        texts.append((0..<8).map { _ in "sa sa sa" }.joined(separator: ","))
        texts.append(String((0x20..<0xE8).compactMap(Unicode.Scalar.init).map(Character.init)))
        texts.append("sa\u{FFFD}n \u{202E}\u{200B}\u{FEFF}fr")
        return texts
    }()
}
