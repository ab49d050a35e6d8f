import Imaging

/// Makes all renditions from one decode: each is reduced from the one before it.
struct RenditionChain {
    var source: UnsafeRawBufferPointer
    var container: Container
    var orientation: Int
    var limits: RenderLimits

    mutating func render(
        report: inout PhotoReport, recipe: Recipe, outputs: [CInt], header: borrowing VipsPixels
    ) throws -> [RenderedImage] {
        let (width, height) = (report.width, report.height)
        // The largest first, as each is the source of the next.
        let order = recipe.renditions.indices.sorted {
            recipe.renditions[$0].scale(width: width, height: height)
                > recipe.renditions[$1].scale(width: width, height: height)
        }
        guard let first = order.first else { return [] }
        let scale = recipe.renditions[first].scale(width: width, height: height)
        var full = try base(scale: scale, header: header, upright: (width, height))
        var images = [RenderedImage?](repeating: nil, count: recipe.renditions.count)
        for index in order {
            let spec = recipe.renditions[index]
            let size = spec.size(width: width, height: height)
            switch spec.shape {
            case .fit:
                if full.width != size.width || full.height != size.height {
                    full = try full.resized(width: size.width, height: size.height).evaluated()
                }
                images[index] = try write(full, spec, to: outputs[index])
            case .square:
                let square = try full.centreSquare()
                if square.width == size.width {
                    images[index] = try write(square, spec, to: outputs[index])
                } else {
                    let reduced = try square.resized(width: size.width, height: size.height)
                    images[index] = try write(reduced, spec, to: outputs[index])
                }
            }
        }
        return images.compactMap { $0 }
    }

    /// Decodes, reduces, converts to sRGB and turns upright, in this order: the fewest pixels are
    /// converted, and a sequential decode never has to turn.
    private func base(
        scale: Double, header: borrowing VipsPixels, upright: (width: Int, height: Int)
    ) throws -> VipsPixels {
        // The decoder halves while at least the wanted size is left.
        var shrink = 1
        if container.format == .jpeg {
            while shrink < 8, 1 / scale >= Double(shrink * 2) { shrink *= 2 }
        }
        let target = { (side: Int) in max(1, Int((Double(side) * scale).rounded())) }
        let turned = orientation >= 5
        let width = target(turned ? upright.height : upright.width)
        let height = target(turned ? upright.width : upright.height)
        let decoded = try VipsPixels.open(
            source, as: container.format, shrink: shrink, strict: container.format == .jpeg)
        decoded.limitCPU(seconds: Double(limits.cpuSeconds))
        let opaque = try decoded.flattened()
        let reduced =
            opaque.width == width && opaque.height == height
            ? opaque : try opaque.resized(width: width, height: height)
        let coloured = try inSRGB(reduced)
        try VipsPixels.checkComplaints(of: container.format)
        guard orientation > 1 else { return coloured }
        return try coloured.oriented(orientation)
    }

    private func inSRGB(_ image: consuming VipsPixels) throws -> VipsPixels {
        let hasProfile = container.icc != nil && !ColourProfile.isPlainSRGB(container.icc!)
        if !hasProfile && !image.isCMYK {
            return image.isPlainRGB ? try image.evaluated() : try image.convertedToSRGB().evaluated()
        }
        // The pixels are read once: they come from a stream.
        let pixels = try image.evaluated()
        do {
            let converted = try pixels.transformedToSRGB(fallback: pixels.isCMYK ? "cmyk" : "srgb")
            return try converted.convertedToSRGB().evaluated()
        } catch {
            // A profile that does not fit or cannot be read counts as none.
            return try pixels.convertedToSRGB().evaluated()
        }
    }

    private func write(
        _ image: borrowing VipsPixels, _ spec: RenditionSpec, to output: CInt
    ) throws -> RenderedImage {
        try image.withJPEG(quality: spec.quality) { bytes in
            guard bytes.count <= limits.outputBytes else {
                throw RendererError(
                    .outputTooLarge, "The rendition \(spec.name) would have \(bytes.count) bytes.")
            }
            do { _ = try JPEGStructure(checking: bytes) } catch {
                throw RendererError(.unsafeOutput, "The rendition \(spec.name) is not written: \(error)")
            }
            if let error = writeWhole(bytes, to: output) {
                throw RendererError(
                    .outputFailed, "The rendition \(spec.name) cannot be written: error \(error).")
            }
            return RenderedImage(
                name: spec.name, width: image.width, height: image.height, bytes: bytes.count)
        }
    }
}
