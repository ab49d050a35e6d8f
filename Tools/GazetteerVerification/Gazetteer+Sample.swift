package import Gazetteer

extension Gazetteer {
    /// Coordinates near places, chosen uniformly: a place's own coordinate, moved by up to `spread` degrees
    /// north or south and east or west. The same seed and index give the same coordinates.
    package func sample(_ count: Int, spread: Double, seed: UInt64) -> [Coordinate] {
        var random = SplitMix64(state: seed)
        let places = max(info.placeCount, 1)
        return (0..<count).map { _ in
            let place = coordinate(ofPlace: Int.random(in: 0..<places, using: &random))
            let latitude = place.latitude + Double.random(in: -spread...spread, using: &random)
            let longitude = place.longitude + Double.random(in: -spread...spread, using: &random)
            return Coordinate(
                clamping: latitude,
                longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude)
        }
    }

    /// Names of places, chosen uniformly, with the country's code after every second one.
    package func sampleNames(_ count: Int, seed: UInt64) -> [String] {
        var random = SplitMix64(state: seed)
        let places = max(info.placeCount, 1)
        return (0..<count).map { index in
            let number = Int.random(in: 0..<places, using: &random)
            let code = country(country(ofPlace: number))?.code ?? ""
            return index.isMultiple(of: 2) ? place(number).name : "\(place(number).name), \(code)"
        }
    }
}

/// A small deterministic generator (Steele, Lea and Flood, 2014).
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
