/// The format of a rendition and the encoder's settings.
package struct RenditionEncoding: Codable, Sendable, Hashable {
    package let format: Format
    /// 1 to 100.
    package let quality: Int
    /// How hard the encoder tries to make the file smaller: 0 to the format's highest value.
    package let effort: Int
    /// A progressive file is a few percent smaller and takes about twice as long to encode.
    package let isProgressive: Bool
    /// Whether an animation keeps all its frames, or only the first.
    package let keepsFrames: Bool

    /// Settings that are left out get the format's defaults.
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

    /// Whether transparency is kept. Otherwise the photo gets a white background.
    package var keepsAlpha: Bool { format.traits.keepsAlpha }
}

extension RenditionEncoding {
    /// The raw value is the name in configurations and the database. CONTRIBUTING.md explains how to add a format.
    package enum Format: String, Codable, Sendable, Hashable, CaseIterable {
        case jpeg, webp, avif
    }

    /// A setting that some formats have.
    enum Setting: String {
        case quality, effort, progressive, animated
    }

    /// How formats differ, apart from their encoders.
    struct Traits {
        /// The extension of the file in the media store.
        let fileExtension: String
        let keepsAlpha: Bool
        let settings: [Setting]
        /// The default quality.
        let quality: Int
        var effort = 0
        var highestEffort = 0
        /// Reads a whole file and accepts only what our encoder writes, and a credit packet if the second argument is true.
        let walk: (UnsafeRawBufferPointer, Bool) throws(RenditionStructure.Fault) -> RenditionStructure
    }
}

extension RenditionEncoding.Format {
    package var fileExtension: String { traits.fileExtension }

    var traits: RenditionEncoding.Traits {
        switch self {
        case .jpeg:
            RenditionEncoding.Traits(
                fileExtension: "jpg", keepsAlpha: false, settings: [.quality, .progressive], quality: 82,
                walk: RenditionStructure.init(jpeg:keepsCredit:))
        case .webp:
            RenditionEncoding.Traits(
                fileExtension: "webp", keepsAlpha: true, settings: [.quality, .effort, .animated],
                quality: 80, effort: 2, highestEffort: 6, walk: RenditionStructure.init(webp:keepsCredit:))
        case .avif:
            RenditionEncoding.Traits(
                fileExtension: "avif", keepsAlpha: true, settings: [.quality, .effort], quality: 60,
                highestEffort: 9, walk: RenditionStructure.init(avif:keepsCredit:))
        }
    }
}
