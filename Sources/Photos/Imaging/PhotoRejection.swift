/// Why a photo is refused. The photo itself is the cause, so trying again does not help.
package struct PhotoRejection: Error, Codable, Sendable, Hashable {
    package enum Code: String, Codable, Sendable, CaseIterable {
        case emptyFile = "empty_file"
        case notAnImage = "not_an_image"
        case unsupportedFormat = "unsupported_format"
        case corrupt
        case truncated
        case tooManyBytes = "too_many_bytes"
        case tooManyPixels = "too_many_pixels"
        case sideTooLong = "side_too_long"
        case tooElongated = "too_elongated"
        case tooManyFrames = "too_many_frames"
        case tooManyScans = "too_many_scans"
        case tooMuchMemory = "too_much_memory"
        case profileTooLarge = "profile_too_large"
        case metadataTooLarge = "metadata_too_large"
        case timeout
    }

    package var code: Code
    /// Text to show to the uploader.
    package var message: String
    /// The decoder's message: for operators, never for uploaders.
    package var detail: String?

    package init(_ code: Code, _ message: String, detail: String? = nil) {
        self.code = code
        self.message = message
        self.detail = detail
    }
}
