/// How `darkroom serve` serves pictures.
package struct PictureOptions: Sendable {
    /// How long caches may keep a picture, and so go on showing it once it is hidden; in seconds.
    package var maxAge = 60
    /// Where a proxy in front finds the media store (`X-Accel-Redirect` of nginx); nil to send the bytes.
    package var internalPath: String?
    /// The secret of links that are valid until they expire, whatever happens to the post; nil to accept none.
    package var linkKey: [UInt8]?

    package init() {}
}
