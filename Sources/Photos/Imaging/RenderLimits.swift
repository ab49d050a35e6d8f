/// Limits on one photo. Where possible, each is checked before the resource is used.
package struct RenderLimits: Codable, Sendable, Hashable {
    /// Bytes of the uploaded file: `too_many_bytes`.
    package var bytes = 64 << 20
    /// Pixels of one frame as the header claims them: `too_many_pixels`.
    package var pixels = 250_000_000
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
    /// Bytes of all metadata, unpacked: `metadata_too_large`.
    package var metadataBytes = 8 << 20
    /// Bytes that decoding is estimated to take, from the sizes in the header: `too_much_memory`.
    ///
    /// The default lets pass what phones take at most: a HEIC of 200 megapixels.
    package var decodingBytes = 1280 << 20
    /// Seconds in which the renderer may do nothing: neither compute nor wait for the processor, a disk or memory. Then it is
    /// killed: `RendererError.Code.deadline`.
    package var idleSeconds = 30.0
    /// Wall-clock seconds from sending the photo to receiving its verdict, less than an attempt may take. Then the renderer is
    /// killed: `RendererError.Code.starved`, or `deadline` if the machine did let it compute.
    package var wallClockSeconds = 240.0
    /// CPU seconds for one photo: `timeout`. A decoder that cannot be interrupted is killed
    /// a second later (`RendererError.Code.crashed`, SIGXCPU).
    package var cpuSeconds = 20
    /// Bytes of the renderer's address space, part of which it never touches: `RendererError.Code.faulted`, or the
    /// renderer aborts. It is more than twice `decodingBytes`, so that no photo within the other limits needs more.
    package var addressSpaceBytes = 3 << 30
    /// Bytes of one rendition: `RendererError.Code.outputTooLarge`.
    package var outputBytes = 16 << 20

    /// Whether to render as much as there is of a JPEG that ends early or is damaged, instead of `truncated`.
    package var acceptsTruncated = false

    package init() {}
}
