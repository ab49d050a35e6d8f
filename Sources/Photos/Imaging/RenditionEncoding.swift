/// The format of a rendition with the encoder's settings. Qualities are 1 to 100.
package enum RenditionEncoding: Codable, Sendable, Hashable {
    /// A progressive file is some percent smaller and takes about twice the time to encode.
    case jpeg(quality: Int = 82, progressive: Bool = false)
    /// `effort` is 0 to 6. An animation keeps its frames if `isAnimated` is set, else its first one.
    case webp(quality: Int = 80, effort: Int = 2, isAnimated: Bool = false)
    /// `effort` is 0 to 9.
    case avif(quality: Int = 60, effort: Int = 0)

    package enum Format: String, Codable, Sendable, Hashable, CaseIterable {
        case jpeg, webp, avif

        /// Of the file in the media store.
        package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
        package var mediaType: String { "image/\(rawValue)" }
    }

    package var format: Format {
        switch self {
        case .jpeg: .jpeg
        case .webp: .webp
        case .avif: .avif
        }
    }

    package var quality: Int {
        switch self {
        case .jpeg(let quality, _), .webp(let quality, _, _), .avif(let quality, _): quality
        }
    }

    /// Whether transparency is kept; elsewhere the photo is laid on white.
    package var keepsAlpha: Bool { format != .jpeg }

    package var keepsFrames: Bool {
        if case .webp(_, _, let isAnimated) = self { isAnimated } else { false }
    }
}
