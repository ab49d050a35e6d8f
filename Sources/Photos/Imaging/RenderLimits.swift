/// What one photo may cost. Every limit is checked before the cost arises where that is possible.
package struct RenderLimits: Codable, Sendable, Hashable {
    /// Bytes of the uploaded file: `too_many_bytes`.
    package var bytes = 64 << 20
    /// Pixels of one frame as the header claims them: `too_many_pixels`.
    package var pixels = 100_000_000
    /// Pixels of the longer side: `side_too_long`.
    package var side = 65_500
    /// Longer side divided by shorter side: `too_elongated`.
    package var aspectRatio = 100
    /// Frames of an animation or pages of a TIFF: `too_many_frames`. Only the first is rendered.
    package var frames = 1_000
    /// Pixels of all frames together: `too_many_frames`.
    package var framePixels = 2_000_000_000
    /// Scans of a JPEG, each of which costs a pass over all coefficients: `too_many_scans`.
    package var scans = 50
    /// Bytes of the embedded colour profile: `profile_too_large`.
    package var profileBytes = 8 << 20
    /// Bytes of the EXIF block, and of the XMP packet: `metadata_too_large`.
    package var metadataBytes = 8 << 20
    /// Bytes that decoding is reckoned to take, from the header's figures: `too_much_memory`.
    package var decodingBytes = 1 << 30
    /// Seconds of wall clock from sending the photo to its verdict, enforced by killing the
    /// renderer: `RendererError.Code.deadline`.
    package var wallClockSeconds = 30.0
    /// CPU seconds of one photo: `timeout`; a decoder that cannot be interrupted is killed
    /// a second later (`RendererError.Code.crashed`, SIGXCPU).
    package var cpuSeconds = 20
    /// Bytes of the renderer's address space: `too_much_memory`, or the renderer aborts.
    package var addressSpaceBytes = 2 << 30
    /// Bytes of one rendition: `RendererError.Code.outputTooLarge`.
    package var outputBytes = 16 << 20

    /// Whether a JPEG that ends too early or is damaged is rendered as far as it goes, instead of `truncated`.
    package var acceptsTruncated = false

    package init() {}
}
