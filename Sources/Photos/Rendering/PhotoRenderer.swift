import CLinux
import CVips
import CVipsShims
import Glibc
package import Imaging

/// Inspects and renders one photo at a time, in this process.
package enum PhotoRenderer {
    /// Loads libvips, and all that could not be loaded when files can no longer be opened. Starts no thread. Call it once.
    package static func start() throws(RendererError) {
        guard shim_start() == 0, shim_warm_up() == 0 else {
            throw RendererError(.cannotStart, "libvips: \(VipsPixels.Failure.current().text)")
        }
    }

    package static var libraries: String { "libvips \(String(cString: vips_version_string()))" }

    /// Renders the photo in `input`. Refusing the photo is a verdict, not an error.
    ///
    /// Blocks. The coordinator does not trust this process and checks what it writes.
    package static func render(
        input: CInt, outputs: [CInt], recipe: Recipe, limits: RenderLimits
    ) throws -> (RenderVerdict, cpu: StageTimes) {
        let clock = StageClock()
        let verdict = try render(
            input: input, outputs: outputs, recipe: recipe, limits: limits, clock: clock)
        clock.enter(\.inspect)
        return (verdict, clock.times)
    }

    private static func render(
        input: CInt, outputs: [CInt], recipe: Recipe, limits: RenderLimits, clock: StageClock
    ) throws -> RenderVerdict {
        var found = Findings()
        // What happened to the previous photo must not be reported as the reason for this one's failure.
        shim_begin_photo()
        OwnFaults.forget()
        do {
            let bytes = try read(input, limits: limits)
            return try bytes.withUnsafeBytes { raw in
                try render(
                    raw, outputs: outputs, recipe: recipe, limits: limits, clock: clock, found: &found)
            }
        } catch let rejection as PhotoRejection {
            return .rejected(rejection, found.report)
        } catch let failure as VipsPixels.Failure {
            let rejection = try rejection(for: failure, limits: limits, endsEarly: found.endsEarly)
            return .rejected(rejection, found.report)
        }
    }

    /// What is known of a photo when it is refused.
    private struct Findings {
        var report: PhotoReport?
        var endsEarly = false
    }

    private static func render(
        _ bytes: UnsafeRawBufferPointer, outputs: [CInt], recipe: Recipe, limits: RenderLimits,
        clock: StageClock, found: inout Findings
    ) throws -> RenderVerdict {
        var container = try Container.read(bytes)
        found.endsEarly = container.endsEarly
        try container.check(limits)
        // libheif shows what lies in memory where a tile does not reach.
        shim_clear_memory(container.isHEIF ? 1 : 0)
        let essence = container.essence
        container.essence = nil
        return try (essence ?? []).withUnsafeBytes { kept in
            let source = essence == nil ? bytes : kept
            let strict = container.format == .jpeg && !limits.acceptsTruncated
            let header = try VipsPixels.open(source, of: container, strict: strict)
            try Container.check(width: header.width, height: header.height, limits)
            if container.isHEIF { container.pixelBytes = header.bands * (header.isEightBit ? 1 : 2) }
            let coded = container.codedSize ?? (0, 0)
            try container.checkMemory(
                width: max(header.width, coded.width), height: max(header.height, coded.height), limits)
            try container.agree(with: header)
            var report = Metadata.report(of: &container, header: header)
            container.keepProfile(fitting: header)
            let placement = try container.placement(of: report)
            (report.width, report.height) = (placement.width, placement.height)
            try Container.check(width: report.width, height: report.height, limits)
            found.report = report
            guard !outputs.isEmpty else {
                return .accepted(report, [])
            }
            let chain = RenditionChain(
                source: source, container: container, placement: placement, limits: limits, clock: clock)
            let images = try chain.render(header, report: &report, recipe: recipe, outputs: outputs)
            return .accepted(report, images)
        }
    }

    private static func read(_ input: CInt, limits: RenderLimits) throws -> [UInt8] {
        let size = Int(linux_regular_file_size(input))
        guard size >= 0 else {
            throw RendererError(.inputUnreadable, "The original is not a regular file.")
        }
        guard size <= limits.bytes else {
            throw PhotoRejection(
                .tooManyBytes,
                "This photo is too large: it has \(size) bytes, and the limit is \(limits.bytes)."
                    + " Please upload a smaller one.")
        }
        guard let bytes = readWhole(input, count: size) else {
            throw RendererError(.inputUnreadable, "The original cannot be read.")
        }
        return bytes
    }

    /// The photo is at fault only if the decoder could not read it although the system refused it nothing.
    ///
    /// libvips reports errors only as texts. Those below are from version 8.14 and its codecs; they choose between
    /// the reasons for a rejection.
    private static func rejection(
        for failure: VipsPixels.Failure, limits: RenderLimits, endsEarly: Bool
    ) throws(RendererError) -> PhotoRejection {
        if shim_cpu_limit_was_hit() != 0 {
            return PhotoRejection(
                .timeout,
                "This photo takes more than \(limits.cpuSeconds) s to read. Please upload a smaller one.",
                detail: failure.text)
        }
        try OwnFaults.check(failure.text)
        guard failure.isOfDecoder else {
            throw RendererError(.faulted, "The picture was decoded, but not processed: \(failure.text)")
        }
        let text = failure.text.lowercased()
        if text.contains("maximum image size") {
            return PhotoRejection(
                .tooManyPixels,
                "This photo is too large: the limit is \(limits.pixels / 1_000_000) megapixels. Please upload a smaller one.",
                detail: failure.text)
        }
        if text.contains("out of memory") || text.contains("memory allocation") {
            return PhotoRejection(
                .tooMuchMemory, "This photo is too large. Please upload a smaller one.", detail: failure.text)
        }
        let signs = ["premature end", "truncated", "end of file"]
        if endsEarly || signs.contains(where: { text.contains($0) }) {
            let truncated = Container.truncated
            return PhotoRejection(truncated.code, truncated.message, detail: failure.text)
        }
        if text.contains("not supported") || text.contains("unsupported")
            || text.contains("bad image dimensions")
        {
            return PhotoRejection(
                .unsupportedFormat, "This photo uses an unsupported feature. Please upload it as JPEG.",
                detail: failure.text)
        }
        return Container.corrupt(failure.text)
    }
}

extension Container {
    /// Drops a profile that is not one of the pixels.
    fileprivate mutating func keepProfile(fitting header: borrowing VipsPixels) {
        if let icc, !header.fits(profile: icc, asGrey: isMonochrome) { self.icc = nil }
        if icc == nil, codePoints == nil { codePoints = codePointsWithoutProfile }
    }

    fileprivate func placement(of report: PhotoReport) throws(PhotoRejection) -> Placement {
        guard isHEIF else {
            return Placement(width: report.width, height: report.height, orientation: report.orientation)
        }
        return try Placement(width: report.width, height: report.height, transformations: transformations)
    }

    /// A header that contradicts the pixels means an attack or damage.
    fileprivate func agree(with header: borrowing VipsPixels) throws(PhotoRejection) {
        guard let size, format != .gif, format != .tiff else { return }
        guard size.width == header.width, size.height == header.height else {
            throw Self.corrupt("The container says \(size), the decoder \(header.width) x \(header.height).")
        }
    }
}
