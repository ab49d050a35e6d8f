import Imaging

/// Makes all renditions from a single decode: each is reduced from the one before it.
struct RenditionChain {
    let source: UnsafeRawBufferPointer
    let container: Container
    let placement: Placement
    let limits: RenderLimits
    let clock: StageClock

    /// Writes the renditions of an opened picture, and adds its hashes to `report`.
    func render(
        _ opened: consuming VipsPixels, report: inout PhotoReport, recipe: Recipe, outputs: [CInt]
    ) throws -> [RenderedImage] {
        let (width, height) = (report.width, report.height)
        // The largest comes first, because each is the source of the next.
        let order = recipe.renditions.indices.sorted {
            recipe.renditions[$0].scale(width: width, height: height)
                > recipe.renditions[$1].scale(width: width, height: height)
        }
        guard let first = order.first else { return [] }
        let scale = recipe.renditions[first].scale(width: width, height: height)
        let keepsAlpha = recipe.renditions.contains(where: \.encoding.keepsAlpha)
        clock.enter(\.decode)
        let credit = recipe.keepsCredit ? report.credit : nil
        let isQuick = recipe.renditions.allSatisfy { $0.fidelity == .quick }
        var full = try base(of: opened, scale: scale, keepingAlpha: keepsAlpha, isQuick: isQuick)
        var images = [RenderedImage?](repeating: nil, count: recipe.renditions.count)
        for index in order {
            let spec = recipe.renditions[index]
            let size = spec.size(width: width, height: height)
            clock.enter(\.reduce)
            if spec.encoding.keepsFrames, container.frames > 1 {
                let animation = try animation(spec, width: width, height: height)
                images[index] = try write(animation, spec, credit, to: outputs[index])
                continue
            }
            switch spec.shape {
            case .fit:
                // A smaller picture would have other details than the lists' hashes are made from.
                if report.pdq == nil, max(size.width, size.height) < PDQHash.enoughPixels {
                    clock.enter(\.hash)
                    report.pdq = try full.pdqHash()
                    clock.enter(\.reduce)
                }
                if full.width != size.width || full.height != size.height {
                    full = try full.resized(width: size.width, height: size.height).evaluated()
                }
                images[index] = try write(full, spec, credit, to: outputs[index])
            case .square(_, let crop):
                let square = try Self.square(of: full, side: size.width, crop)
                images[index] = try write(square, spec, credit, to: outputs[index])
            }
        }
        clock.enter(\.hash)
        (report.thumbHash, report.perceptualHash) = try full.hashes()
        if report.pdq == nil { report.pdq = try full.pdqHash() }
        return images.compactMap { $0 }
    }

    private static func square(
        of image: borrowing VipsPixels, side: Int, _ crop: RenditionSpec.Crop
    ) throws -> VipsPixels {
        if crop == .attention { return try image.attentionSquare(side: side).evaluated() }
        let square = try image.centreSquare()
        return square.width == side
            ? try square.evaluated() : try square.resized(width: side, height: side).evaluated()
    }

    /// Decodes, crops, reduces, converts to sRGB and turns upright. In this order, as few pixels as possible are
    /// converted, and a sequential decode never has to turn the picture.
    private func base(
        of picture: consuming VipsPixels, scale: Double, keepingAlpha: Bool, isQuick: Bool
    ) throws -> VipsPixels {
        // The decoder halves the picture as long as it stays at least as large as wanted.
        var shrink = 1
        if container.format == .jpeg, isQuick {
            while shrink < 8, 1 / scale >= Double(shrink * 2) { shrink *= 2 }
        }
        let target = { (side: Int) in max(1, Int((Double(side) * scale).rounded())) }
        let width = target(placement.storedWidth)
        let height = target(placement.storedHeight)
        let isWhole = placement.storedWidth == picture.width && placement.storedHeight == picture.height
        if shrink > 1 {
            picture = try VipsPixels.open(source, of: container, shrink: shrink, strict: isStrict)
        }
        VipsPixels.limitCPU(seconds: limits.cpuSeconds)
        let decoded = try plain(picture)
        let cropped =
            isWhole
            ? decoded
            : try decoded.cropped(
                left: placement.left, top: placement.top, width: placement.storedWidth,
                height: placement.storedHeight)
        // Transparency is mixed with white in sRGB, as browsers do it. Without a profile, doing so early is the same.
        let isConvertedFirst = keepingAlpha || hasProfile || codePoints != nil || cropped.colours == .cmyk
        let opaque = isConvertedFirst ? cropped : try cropped.flattened()
        let reduced =
            opaque.width == width && opaque.height == height
            ? opaque : try opaque.resized(width: width, height: height)
        let converted = try inSRGB(reduced, keepingAlpha: isConvertedFirst)
        let isFlattenedLast = converted.hasAlpha && !keepingAlpha
        let coloured = isFlattenedLast ? try converted.flattened().evaluated() : converted
        try VipsPixels.checkCPULimit()
        if isStrict { try VipsPixels.checkComplaints(of: container.format) }
        guard placement.orientation > 1 else { return coloured }
        return try coloured.oriented(placement.orientation)
    }

    /// Undoes what the container says about the values, and libvips does not ask.
    private func plain(_ image: consuming VipsPixels) throws -> VipsPixels {
        // libvips packs the values of Lab, which only its own conversion unpacks.
        if image.colours == .lab { return try image.convertedToSRGB(keepingAlpha: false) }
        if let bands = container.keptBands { image = try image.first(bands) }
        // Only a grey profile asks for it.
        if container.isMonochrome, container.icc.map({ ColourProfile.isGrey($0) }) == true {
            image = try image.grey()
        }
        if container.isLimitedGrey { image = try image.expandedToFullRange() }
        if container.isPremultiplied { image = try image.unpremultiplied() }
        return image
    }

    /// Whether a warning of the decoder refuses the photo.
    private var isStrict: Bool { container.format == .jpeg && !limits.acceptsTruncated }

    /// Whether the values are not sRGB and must be converted by the embedded profile.
    private var hasProfile: Bool { container.icc.map { !ColourProfile.isPlainSRGB($0) } ?? false }

    /// How to convert the values if there is no profile and they are not sRGB. In PNG, numbers take precedence over a
    /// profile (PNG specification, third edition, 11.3.2).
    private var codePoints: CodePoints? {
        container.codePoints.flatMap {
            (container.icc == nil || container.format == .png) && !$0.isPlainSRGB ? $0 : nil
        }
    }

    private func inSRGB(_ image: consuming VipsPixels, keepingAlpha: Bool) throws -> VipsPixels {
        if let codePoints { return try image.evaluated().inSRGB(from: codePoints) }
        if !hasProfile && image.colours != .cmyk {
            return image.isPlainRGB
                ? try image.evaluated() : try image.convertedToSRGB(keepingAlpha: keepingAlpha).evaluated()
        }
        // The pixels come from a stream and can be read only once.
        let pixels = try image.evaluated()
        do {
            let converted = try pixels.transformedToSRGB(by: container.icc)
            return try converted.convertedToSRGB(keepingAlpha: keepingAlpha).evaluated()
        } catch {
            // A fault of ours must not change the colours. Otherwise the profile does not fit or cannot be read.
            try OwnFaults.check()
            return try pixels.convertedToSRGB(keepingAlpha: keepingAlpha).evaluated()
        }
    }

    /// All frames of an animation. Each is reduced separately, so that frames do not bleed into each other.
    private func animation(_ spec: RenditionSpec, width: Int, height: Int) throws -> VipsPixels {
        let size = spec.size(width: width, height: height)
        let bytes = container.frames * size.width * size.height * 4
        guard bytes <= limits.decodingBytes else {
            throw PhotoRejection(
                .tooMuchMemory,
                "This animation is too large: its \(container.frames) frames take \(bytes >> 20) MB, and the limit "
                    + "is \(limits.decodingBytes >> 20) MB. Please upload a shorter or smaller one.")
        }
        let column = try VipsPixels.open(source, of: container, strict: false, allFrames: true)
        VipsPixels.limitCPU(seconds: limits.cpuSeconds)
        var frames: [VipsPixels.Shared] = []
        for top in (0..<container.frames).map({ $0 * column.frameHeight }) where top < column.height {
            let frame = try column.cropped(left: 0, top: top, width: column.width, height: column.frameHeight)
            let decoded = try inSRGB(frame.evaluated(), keepingAlpha: true)
            var reduced: VipsPixels
            switch spec.shape {
            case .fit:
                reduced =
                    decoded.width == size.width && decoded.height == size.height
                    ? decoded : try decoded.resized(width: size.width, height: size.height).evaluated()
            // The part that draws the eye moves between frames, but the crop must not.
            case .square: reduced = try Self.square(of: decoded, side: size.width, .centre)
            }
            frames.append(VipsPixels.Shared(reduced))
        }
        return try column.animation(of: frames)
    }

    private func write(
        _ image: borrowing VipsPixels, _ spec: RenditionSpec, _ credit: PhotoCredit?, to output: CInt
    ) throws -> RenderedImage {
        clock.enter(\.encode)
        guard !image.hasAlpha || spec.encoding.keepsAlpha else {
            return try write(image.flattened(), spec, credit, to: output)
        }
        return try image.withEncoded(spec.encoding, credit) { bytes in
            clock.enter(\.write)
            guard bytes.count <= limits.outputBytes else {
                throw RendererError(
                    .outputTooLarge, "The rendition \(spec.name) would have \(bytes.count) bytes.")
            }
            if let error = writeWhole(bytes, to: output) {
                throw RendererError(
                    .outputFailed, "The rendition \(spec.name) cannot be written: error \(error).")
            }
            return RenderedImage(
                name: spec.name, width: image.width, height: image.frameHeight, bytes: bytes.count)
        }
    }
}
