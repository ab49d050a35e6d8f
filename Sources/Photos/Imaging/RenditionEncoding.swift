/// The format of a rendition with the encoder's settings.
package struct RenditionEncoding: Codable, Sendable, Hashable {
    package let format: Format
    /// 1 to 100.
    package let quality: Int
    /// How long the encoder looks for a smaller file: 0 to the format's highest.
    package let effort: Int
    /// A progressive file is some percent smaller and takes about twice the time to encode.
    package let isProgressive: Bool
    /// Whether an animation keeps its frames, else its first one.
    package let keepsFrames: Bool

    /// Settings that are left out are the format's own.
    package init(
        _ format: Format, quality: Int? = nil, effort: Int? = nil, isProgressive: Bool = false,
        keepsFrames: Bool = false
    ) {
        self.format = format
        self.quality = quality ?? format.traits.quality
        self.effort = effort ?? format.traits.effort
        self.isProgressive = isProgressive
        self.keepsFrames = keepsFrames
    }

    /// Whether transparency is kept; elsewhere the photo is laid on white.
    package var keepsAlpha: Bool { format.traits.keepsAlpha }
}

extension RenditionEncoding {
    /// The raw value is what configurations and the database call it. CONTRIBUTING.md says what adding one takes.
    package enum Format: String, Codable, Sendable, Hashable, CaseIterable {
        case jpeg, webp, avif
    }

    /// A setting that a configuration may give to some formats.
    enum Setting: String {
        case quality, effort, progressive, animated
    }

    /// What tells one format from another, but for its encoder.
    struct Traits {
        /// Of the file in the media store.
        let fileExtension: String
        let keepsAlpha: Bool
        let settings: [Setting]
        /// Where a configuration does not say it.
        let quality: Int
        var effort = 0
        var highestEffort = 0
        /// Reads a whole file, and lets pass only what our encoder writes.
        let walk: (UnsafeRawBufferPointer) throws(RenditionStructure.Fault) -> RenditionStructure
    }
}

extension RenditionEncoding.Format {
    package var fileExtension: String { traits.fileExtension }

    var traits: RenditionEncoding.Traits {
        switch self {
        case .jpeg:
            RenditionEncoding.Traits(
                fileExtension: "jpg", keepsAlpha: false, settings: [.quality, .progressive], quality: 82,
                walk: RenditionStructure.init(jpeg:))
        case .webp:
            RenditionEncoding.Traits(
                fileExtension: "webp", keepsAlpha: true, settings: [.quality, .effort, .animated],
                quality: 80, effort: 2, highestEffort: 6, walk: RenditionStructure.init(webp:))
        case .avif:
            RenditionEncoding.Traits(
                fileExtension: "avif", keepsAlpha: true, settings: [.quality, .effort], quality: 60,
                highestEffort: 9, walk: RenditionStructure.init(avif:))
        }
    }
}
