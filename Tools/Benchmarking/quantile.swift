/// The middle value, or the mean of the two middle ones; 0 if there are none.
package func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

/// The value below which the share `q` (0…1) of `values` lies, interpolated linearly between neighbours: R's type 7
/// (Hyndman and Fan 1996). 0 if there are no values.
package func quantile(_ values: [Double], _ q: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let position = q * Double(sorted.count - 1)
    let below = Int(position.rounded(.down))
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
}
