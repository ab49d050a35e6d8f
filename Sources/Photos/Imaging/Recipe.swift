/// The versioned list of renditions to make from a photo.
///
/// Changing a rendition takes a new version, so that published renditions can be told apart from
/// those of an older recipe.
package struct Recipe: Codable, Sendable, Hashable {
    package var name: String
    package var version: Int
    package var renditions: [RenditionSpec]
    /// Whether renditions carry the photo's ``PhotoCredit``.
    package var keepsCredit: Bool

    package init(name: String, version: Int, renditions: [RenditionSpec], keepsCredit: Bool = false) {
        self.name = name
        self.version = version
        self.renditions = renditions
        self.keepsCredit = keepsCredit
    }

    /// "large" (1920 px long side), "medium" (1080 px) and "square" (320 px, centre crop).
    package static let standard = Recipe(
        name: "standard", version: 1,
        renditions: [
            RenditionSpec(name: "large", shape: .fit(longSide: 1920)),
            RenditionSpec(name: "medium", shape: .fit(longSide: 1080)),
            RenditionSpec(name: "square", shape: .square(side: 320)),
        ])
}

/// One output image of a recipe: always in sRGB, and without metadata but its credit.
package struct RenditionSpec: Codable, Sendable, Hashable {
    /// How the rendition is made from the upright photo. Neither shape enlarges it.
    package enum Shape: Codable, Sendable, Hashable {
        /// The whole photo, its longer side at most `longSide` pixels.
        case fit(longSide: Int)
        /// The largest square, at most `side` pixels.
        case square(side: Int, crop: Crop = .centre)
    }

    /// Which square of the photo is kept.
    package enum Crop: String, Codable, Sendable, Hashable, CaseIterable {
        case centre
        /// The part that draws the eye by edges, skin tones and saturated colours.
        case attention
    }

    /// What the pixels are made from.
    package enum Fidelity: String, Codable, Sendable, Hashable, CaseIterable {
        /// A JPEG is decoded at the largest reduction (1/1, 1/2, 1/4 or 1/8) that leaves enough pixels.
        case quick
        /// All pixels of the photo. It takes longer, and also serves the other renditions.
        case full
    }

    package var name: String
    package var shape: Shape
    package var encoding: RenditionEncoding
    package var fidelity: Fidelity

    package init(
        name: String, shape: Shape, encoding: RenditionEncoding = RenditionEncoding(.jpeg),
        fidelity: Fidelity = .quick
    ) {
        self.name = name
        self.shape = shape
        self.encoding = encoding
        self.fidelity = fidelity
    }

    /// The rendition's size in pixels for an upright photo of `width` by `height` pixels.
    ///
    /// Sides are rounded to the nearest pixel and are at least 1.
    package func size(width: Int, height: Int) -> (width: Int, height: Int) {
        switch shape {
        case .fit(let longSide):
            let long = max(width, height)
            guard long > longSide else { return (width, height) }
            let scaled = { (side: Int) in max(1, (side * longSide * 2 + long) / (2 * long)) }
            return (scaled(width), scaled(height))
        case .square(let side, _):
            let shorter = min(side, width, height)
            return (shorter, shorter)
        }
    }

    /// The factor (0 to 1] by which the whole photo is reduced before any crop.
    package func scale(width: Int, height: Int) -> Double {
        switch shape {
        case .fit(let longSide): min(1, Double(longSide) / Double(max(width, height)))
        case .square(let side, _): min(1, Double(side) / Double(min(width, height)))
        }
    }
}
