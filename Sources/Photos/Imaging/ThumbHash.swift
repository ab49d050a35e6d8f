import Glibc

/// A blurred picture of at most 25 bytes to show while the photo loads: the lowest DCT coefficients of its brightness,
/// colours and transparency.
///
/// The format is ThumbHash by Evan Wallace (https://evanw.github.io/thumbhash/), for which browsers and apps have
/// decoders.
package enum ThumbHash {
    /// Pixels of the longer side to which a photo is reduced before it is hashed.
    package static let longSide = 100
    /// The length of the longest hash.
    package static let maximumBytes = 25

    /// - Parameters:
    ///   - rgba: four bytes per pixel, not premultiplied, rows from top to bottom.
    ///   - width: 1 to 100; the same applies to `height`.
    package static func hash(rgba: [UInt8], width: Int, height: Int) -> [UInt8] {
        precondition(1...longSide ~= width && 1...longSide ~= height && rgba.count == 4 * width * height)
        let planes = Planes(rgba, count: width * height)
        let longer = Double(max(width, height))
        let limit = planes.isTransparent ? 5.0 : 7.0
        let across = max(1, Int((limit * Double(width) / longer).rounded()))
        let down = max(1, Int((limit * Double(height) / longer).rounded()))
        func channel(_ samples: [Double], _ across: Int, _ down: Int) -> Channel {
            Channel(samples, width: width, height: height, across: across, down: down)
        }
        let light = channel(planes.light, max(3, across), max(3, down))
        let yellowBlue = channel(planes.yellowBlue, 3, 3)
        let redGreen = channel(planes.redGreen, 3, 3)
        let isLandscape = width > height
        var first = level(light.mean, 63)
        first |= level(0.5 + 0.5 * yellowBlue.mean, 63) << 6
        first |= level(0.5 + 0.5 * redGreen.mean, 63) << 12
        first |= level(light.scale, 31) << 18
        first |= planes.isTransparent ? 1 << 23 : 0
        var second = isLandscape ? down : across
        second |= level(yellowBlue.scale, 63) << 3
        second |= level(redGreen.scale, 63) << 9
        second |= isLandscape ? 1 << 15 : 0
        var hash = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8(truncatingIfNeeded: $0) }
        var cosines = light.cosines + yellowBlue.cosines + redGreen.cosines
        if planes.isTransparent {
            let alpha = channel(planes.alpha, 5, 5)
            hash.append(UInt8(level(alpha.mean, 15) | level(alpha.scale, 15) << 4))
            cosines += alpha.cosines
        }
        for start in stride(from: 0, to: cosines.count, by: 2) {
            let high = start + 1 < cosines.count ? level(cosines[start + 1], 15) : 0
            hash.append(UInt8(level(cosines[start], 15) | high << 4))
        }
        return hash
    }

    /// `value` (0 to 1) in whole steps; halves are rounded up.
    private static func level(_ value: Double, _ steps: Double) -> Int {
        min(Int(steps), max(0, Int((value * steps + 0.5).rounded(.down))))
    }

    /// Brightness and two colour differences of the pixels on a background of the picture's mean colour.
    private struct Planes {
        var light: [Double] = []
        var yellowBlue: [Double] = []
        var redGreen: [Double] = []
        var alpha: [Double] = []
        let isTransparent: Bool

        init(_ rgba: [UInt8], count: Int) {
            var mean = (red: 0.0, green: 0.0, blue: 0.0)
            var weight = 0.0
            for pixel in 0..<count {
                let alpha = Double(rgba[4 * pixel + 3]) / 255
                mean.red += alpha / 255 * Double(rgba[4 * pixel])
                mean.green += alpha / 255 * Double(rgba[4 * pixel + 1])
                mean.blue += alpha / 255 * Double(rgba[4 * pixel + 2])
                weight += alpha
            }
            if weight > 0 { mean = (mean.red / weight, mean.green / weight, mean.blue / weight) }
            isTransparent = weight < Double(count)
            for pixel in 0..<count {
                let alpha = Double(rgba[4 * pixel + 3]) / 255
                let red = mean.red * (1 - alpha) + alpha / 255 * Double(rgba[4 * pixel])
                let green = mean.green * (1 - alpha) + alpha / 255 * Double(rgba[4 * pixel + 1])
                let blue = mean.blue * (1 - alpha) + alpha / 255 * Double(rgba[4 * pixel + 2])
                light.append((red + green + blue) / 3)
                yellowBlue.append((red + green) / 2 - blue)
                redGreen.append(red - green)
                self.alpha.append(alpha)
            }
        }
    }

    /// The lowest DCT coefficients of a plane: a triangle in the corner of `across` by `down`.
    private struct Channel {
        var mean = 0.0
        /// Largest magnitude of a coefficient.
        var scale = 0.0
        /// 0 to 1, where 0.5 stands for zero.
        var cosines: [Double] = []

        init(_ samples: [Double], width: Int, height: Int, across: Int, down: Int) {
            // Transforming rows first and then columns takes fewer operations.
            var rows: [[Double]] = []
            for horizontal in 0..<across {
                let wave = Self.wave(horizontal, width)
                rows.append(
                    (0..<height).map { y in
                        var sum = 0.0
                        for x in 0..<width { sum += samples[x + y * width] * wave[x] }
                        return sum
                    })
            }
            for vertical in 0..<down {
                let wave = Self.wave(vertical, height)
                var horizontal = 0
                while horizontal * down < across * (down - vertical) {
                    var sum = 0.0
                    for y in 0..<height { sum += rows[horizontal][y] * wave[y] }
                    sum /= Double(width * height)
                    if horizontal == 0 && vertical == 0 {
                        mean = sum
                    } else {
                        cosines.append(sum)
                        scale = max(scale, abs(sum))
                    }
                    horizontal += 1
                }
            }
            if scale > 0 { cosines = cosines.map { 0.5 + 0.5 / scale * $0 } }
        }

        private static func wave(_ frequency: Int, _ count: Int) -> [Double] {
            let step = Double.pi * Double(frequency) / Double(count)
            return (0..<count).map { cos(step * (Double($0) + 0.5)) }
        }
    }
}
