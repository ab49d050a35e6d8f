import CVips
import CVipsShims

/// The decoded pixels of an encoded image.
package struct PhotoPixels: Sendable {
    package let width: Int
    package let height: Int
    package let bands: Int
    /// Milliseconds of each frame of an animation, and how often it is shown (0 means forever).
    package let delays: [Int]
    package let loops: Int
    /// Interleaved, rows from top to bottom; frames of an animation are stacked vertically.
    package let samples: [UInt8]

    /// Nil if libvips cannot read it.
    package init?(jpeg bytes: [UInt8]) { self.init(bytes, format: SHIM_JPEG) }
    package init?(webp bytes: [UInt8]) { self.init(bytes, format: SHIM_WEBP) }
    package init?(avif bytes: [UInt8]) { self.init(bytes, format: SHIM_HEIF) }

    private init?(_ bytes: [UInt8], format: ShimFormat) {
        guard shim_start_unconfined() == 0 else { return nil }
        var image: UnsafeMutablePointer<VipsImage>?
        guard shim_load(format, bytes, bytes.count, 1, 1, 0, -1, &image) == 0, let image else { return nil }
        defer { shim_release(image) }
        var length = 0
        guard let memory = vips_image_write_to_memory(image, &length) else { return nil }
        defer { shim_free(memory) }
        width = Int(vips_image_get_width(image))
        height = Int(vips_image_get_height(image))
        bands = Int(vips_image_get_bands(image))
        samples = [UInt8](UnsafeRawBufferPointer(start: memory, count: length))
        var (times, count, loop) = (UnsafeMutablePointer<CInt>?.none, CInt(0), CInt(0))
        let hasTimes =
            vips_image_get_typeof(image, "delay") != 0
            && vips_image_get_array_int(image, "delay", &times, &count) == 0
        delays = hasTimes ? (0..<Int(count)).map { Int(times![$0]) } : []
        if vips_image_get_typeof(image, "loop") != 0 { vips_image_get_int(image, "loop", &loop) }
        loops = Int(loop)
    }

    /// Red, green and blue at a point, given as fractions (0 to 1) of width and height.
    package func colour(_ x: Double, _ y: Double) -> [Int] {
        let column = min(width - 1, Int(x * Double(width)))
        let row = min(height - 1, Int(y * Double(height)))
        let base = (row * width + column) * bands
        return samples[base..<base + bands].map(Int.init)
    }
}
