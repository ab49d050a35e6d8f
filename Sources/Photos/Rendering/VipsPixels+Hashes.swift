import Imaging

extension VipsPixels {
    /// The hashes of the picture that the post's row stores.
    func hashes() throws -> (thumbHash: [UInt8], perceptual: PerceptualHash) {
        let target = RenditionSpec(name: "", shape: .fit(longSide: ThumbHash.longSide))
            .size(width: width, height: height)
        let samples = try samples()
        let small = areaAverage(samples, width: width, height: height, bands: bands, to: target)
        let side = PerceptualHash.side
        // libvips enlarges smaller pictures.
        let square =
            width >= side && height >= side
            ? areaAverage(samples, width: width, height: height, bands: bands, to: (side, side))
            : areaAverage(
                try resized(width: side, height: side).samples(), width: side, height: side, bands: bands,
                to: (side, side))
        // On white and by ITU-R BT.601, like the programs whose hashes this one is compared with.
        let grey = stride(from: 0, to: square.count, by: 4).map { (pixel: Int) -> UInt8 in
            let (red, green, blue) = (Int(square[pixel]), Int(square[pixel + 1]), Int(square[pixel + 2]))
            let luma = 299 * red + 587 * green + 114 * blue
            let alpha = Int(square[pixel + 3])
            return UInt8((luma * alpha + 255_000 * (255 - alpha) + 127_500) / 255_000)
        }
        return (
            ThumbHash.hash(rgba: small, width: target.width, height: target.height),
            PerceptualHash(grey: grey)
        )
    }

    /// The hash by which the picture is looked up in lists of known hashes. Transparency is mixed with white.
    func pdqHash() throws -> PDQHash {
        let (samples, bands, width) = (try samples(), bands, width)
        return samples.withUnsafeBufferPointer { source in
            PDQHash(width: width, height: height) { y, luma in
                for x in 0..<width {
                    let at = (y * width + x) * bands
                    let light =
                        0.299 * Float(source[at]) + 0.587 * Float(source[at + 1])
                        + 0.114 * Float(source[at + 2])
                    guard bands == 4 else {
                        luma[x] = light
                        continue
                    }
                    let alpha = Float(source[at + 3]) / 255
                    luma[x] = light * alpha + 255 * (1 - alpha)
                }
            }
        }
    }
}
