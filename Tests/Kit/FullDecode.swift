import CVips
import CVipsShims

/// A photo decoded in full, turned upright and reduced, then converted by littlecms if it has a profile.
package struct FullDecode: Sendable {
    package let width: Int
    package let height: Int
    /// One colour per pixel, 8-bit sRGB.
    package let srgb: [[Double]]

    /// Nil if libvips cannot read it.
    package init?(_ bytes: [UInt8], width: Int, height: Int) {
        guard shim_start_unconfined() == 0 else { return nil }
        (self.width, self.height) = (width, height)
        var images: [UnsafeMutablePointer<VipsImage>] = []
        defer { for image in images { shim_release(image) } }
        func step(
            _ operation: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> CInt
        ) -> UnsafeMutablePointer<VipsImage>? {
            var result: UnsafeMutablePointer<VipsImage>?
            guard operation(&result) == 0, let result else { return nil }
            images.append(result)
            return result
        }
        guard let format = Self.format(of: bytes),
            let opened = step({ shim_load(format, bytes, bytes.count, 1, 0, 0, 1, $0) }),
            let whole = step({ shim_evaluate(opened, $0) }),
            let upright = step({ shim_orient(whole, vips_image_get_orientation(whole), $0) })
        else { return nil }
        let scale = (
            Double(width) / Double(vips_image_get_width(upright)),
            Double(height) / Double(vips_image_get_height(upright))
        )
        guard let opaque = step({ shim_flatten(upright, $0) }),
            let reduced = step({ shim_resize(opaque, scale.0, scale.1, $0) })
        else { return nil }
        var length = 0
        guard let memory = vips_image_write_to_memory(reduced, &length) else { return nil }
        defer { shim_free(memory) }
        let raw = UnsafeRawBufferPointer(start: memory, count: length)
        let isWide = vips_image_get_format(reduced) == VIPS_FORMAT_USHORT
        let values =
            isWide
            ? raw.bindMemory(to: UInt16.self).map { Double($0) / 65535 } : raw.map { Double($0) / 255 }
        let bands = Int(vips_image_get_bands(reduced))
        let pixels = stride(from: 0, to: values.count, by: bands).map { Array(values[$0..<$0 + bands]) }
        var profile: UnsafeRawPointer?
        var profileLength = 0
        guard vips_image_get_typeof(whole, "icc-profile-data") != 0,
            vips_image_get_blob(whole, "icc-profile-data", &profile, &profileLength) == 0
        else {
            srgb = pixels.map { pixel in
                (bands < 3 ? Array(repeating: pixel[0], count: 3) : pixel).map { $0 * 255 }
            }
            return
        }
        let conversion = ColourConversion(
            from: [UInt8](UnsafeRawBufferPointer(start: profile, count: profileLength)))
        guard let conversion else { return nil }
        srgb = conversion.srgb(pixels)
    }

    private static func format(of bytes: [UInt8]) -> ShimFormat? {
        switch bytes.prefix(4) {
        case [0x89, 0x50, 0x4E, 0x47]: SHIM_PNG
        case [0x52, 0x49, 0x46, 0x46]: SHIM_WEBP
        case let start where start.starts(with: [0xFF, 0xD8]): SHIM_JPEG
        case let start where start.starts(with: [0x49, 0x49]) || start.starts(with: [0x4D, 0x4D]): SHIM_TIFF
        default: bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) ? SHIM_HEIF : nil
        }
    }
}
