import PlainText

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
    /// Text to show to the uploader: one line.
    package private(set) var message: String
    /// The decoder's message: for operators, never for uploaders. One line.
    package private(set) var detail: String?

    /// The longest text, in bytes of UTF-8.
    private static let longest = 2000

    package init(_ code: Code, _ message: String, detail: String? = nil) {
        self.code = code
        self.message = message.plainLine(atMost: Self.longest)
        self.detail = detail?.plainLine(atMost: Self.longest)
    }

    /// Whether no text would be changed by making the rejection again. One that was decoded need not be clean.
    var isClean: Bool { PhotoRejection(code, message, detail: detail) == self }
}
