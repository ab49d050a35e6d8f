import Glibc
import Imaging

// scripts/fuzz builds this with libFuzzer, not the package. The renderer's sources that parse photos themselves
// are compiled into this module.

/// What is fuzzed; the variable `DARKROOM_FUZZ` selects it.
private enum Target: String, CaseIterable {
    /// The walkers that check renditions.
    case renditions
    /// The walkers over uploads, including the limits.
    case containers
    /// EXIF blocks, through libexif.
    case exif
    /// XMP packets, colour profiles and manifests.
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
        var extensions: [String: [UInt8]] = [:]
        var most = XMPParser.mostElementsAndAttributes
        let packet = XMPBlock(Array(bytes), extensions: &extensions, most: &most)
        _ = packet.gps
        _ = packet.time(XMPBlock.original + XMPBlock.digitized, now: 2_000_000_000)
        _ = ColourProfile.description(Array(bytes))
        _ = ManifestStore.claimGenerator(in: Array(bytes))
    }
    return 0
}

/// A rendition that passes has a size, and no longer passes with one byte more or less.
private func checkRendition(_ bytes: UnsafeRawBufferPointer, _ format: RenditionEncoding.Format) {
    guard let found = try? RenditionStructure(checking: bytes, as: format) else { return }
    precondition(found.width > 0 && found.height > 0 && found.frames > 0)
    let shorter = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
    precondition((try? RenditionStructure(checking: shorter, as: format)) == nil, "a shorter file passes")
    (Array(bytes) + [0]).withUnsafeBytes { longer in
        precondition((try? RenditionStructure(checking: longer, as: format)) == nil, "a longer file passes")
    }
}

/// The copy of an upload for the decoder is read as the same picture and has nothing left to strip.
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
        precondition(again.exif.isEmpty && again.xmp.isEmpty)
        precondition(again.stripped.isSubset(of: ["ICC"]), "\(again.stripped) is kept")
    }
}
