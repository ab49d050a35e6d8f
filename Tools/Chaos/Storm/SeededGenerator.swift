/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014): the same numbers for the
/// same seed, on every machine and with every compiler.
struct SeededGenerator: Sendable {
    private var state: UInt64

    /// - Parameter stream: generators of one seed with different streams are independent of each other.
    init(seed: UInt64, stream: UInt64 = 0) {
        state = seed
        let first = next()
        state = first &+ stream &* 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 to `count` - 1.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let width = Int((range.upperBound - range.lowerBound) / .milliseconds(1))
        return range.lowerBound + .milliseconds(width > 0 ? below(width + 1) : 0)
    }

    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var elements = elements
        for index in elements.indices.dropFirst().reversed() { elements.swapAt(index, below(index + 1)) }
        return elements
    }
}
