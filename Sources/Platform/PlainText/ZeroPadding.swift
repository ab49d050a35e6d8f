extension BinaryInteger {
    /// The digits, padded with zeros to `width`. A minus sign does not count as a digit.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(magnitude, radix: radix)
        let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
        return (self < 0 ? "-" : "") + zeros + digits
    }
}

extension Double {
    /// Rounded to `places` digits after the point, including trailing zeros: `2.50`.
    ///
    /// Only for finite numbers that fit an `Int` once they are shifted by `places` digits.
    package func fixed(places: Int) -> String {
        let scale = (0..<places).reduce(1) { power, _ in power * 10 }
        let scaled = Int((magnitude * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        return places == 0
            ? "\(sign)\(scaled)" : "\(sign)\(scaled / scale).\((scaled % scale).padded(to: places))"
    }
}
