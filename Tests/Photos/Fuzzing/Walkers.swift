import Glibc
import Imaging

// Built by scripts/fuzz with libFuzzer, not by the package: the sources of the renderer that read photos' bytes
// themselves are compiled into this module.

/// What is fuzzed, by the variable `DARKROOM_FUZZ`.
private enum Target: String, CaseIterable {
    /// The walkers that let renditions pass.
    case renditions
    /// The walkers over what is uploaded, the budgets included.
    case containers
    /// EXIF blocks, through libexif.
    case exif
    /// XMP packets and colour profiles.
    case text

    static let chosen: Target = {
        let name = getenv("DARKROOM_FUZZ").map { String(cString: $0) } ?? ""
        guard let target = Target(rawValue: name) else {
            fatalError("DARKROOM_FUZZ must be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return target
    }()
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: data, count: count)
    switch Target.chosen {
    case .renditions: for format in RenditionEncoding.Format.allCases { checkRendition(bytes, format) }
    case .containers: checkContainer(bytes)
    case .exif: _ = EXIFBlock(Array(bytes))
    case .text:
        let packet = XMPBlock(Array(bytes))
        _ = packet.gps
        _ = packet.captureTime(now: 2_000_000_000)
        _ = ColourProfile.description(Array(bytes))
    }
    return 0
}

/// What passes has a size, and passes no more with a byte more or less.
private func checkRendition(_ bytes: UnsafeRawBufferPointer, _ format: RenditionEncoding.Format) {
    guard let found = try? RenditionStructure(checking: bytes, as: format) else { return }
    precondition(found.width > 0 && found.height > 0 && found.frames > 0)
    let shorter = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
    precondition((try? RenditionStructure(checking: shorter, as: format)) == nil, "a shorter file passes")
    (Array(bytes) + [0]).withUnsafeBytes { longer in
        precondition((try? RenditionStructure(checking: longer, as: format)) == nil, "a longer file passes")
    }
}

/// What a decoder gets of an upload is read as the same picture, and has nothing left to strip.
private func checkContainer(_ bytes: UnsafeRawBufferPointer) {
    guard let container = try? Container.read(bytes) else { return }
    precondition(container.frames > 0 && container.scans > 0)
    try? container.check(RenderLimits())
    guard let essence = container.essence, container.format == .jpeg || container.format == .png else {
        return
    }
    essence.withUnsafeBytes { kept in
        guard let again = try? Container.read(kept) else { fatalError("what is kept cannot be read") }
        precondition(
            again.size?.width == container.size?.width && again.size?.height == container.size?.height)
        precondition(again.exif == nil && again.xmp == nil)
        precondition(again.stripped.isSubset(of: ["ICC"]), "\(again.stripped) is kept")
    }
}
