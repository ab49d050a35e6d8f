import Imaging

extension Container {
    /// Walks a JPEG and keeps what a decoder needs: tables, frame, scans, JFIF, Adobe, profile.
    ///
    /// Adds a missing end marker. The decoder checks whether the scan data before it is complete; it is
    /// set to fail at the first warning.
    static func readJPEG(_ bytes: UnsafeRawBufferPointer) throws(PhotoRejection) -> Container {
        var result = Container(format: .jpeg)
        var walk = JPEGSegments(bytes)
        var essence: [UInt8] = [0xFF, 0xD8]
        essence.reserveCapacity(bytes.count + 2)
        var profileParts: [Int: Range<Int>] = [:]
        var profilePartCount = 0
        var scans = 0
        var components = JPEGComponents()
        var extensions = XMPExtensions()
        // Several segments are one list, in which a resource may be longer than a segment.
        var resources: [UInt8] = []
        while let element = walk.next() {
            switch element {
            case .malformed(let at):
                throw corrupt("There is no marker at byte \(at).")
            case .stray:
                // Some cameras leave bytes behind their tables. The decoder does not get them.
                result.stripped.insert("stray bytes")
            case .truncated:
                guard scans > 0, result.size != nil, components.hasAllBits else { throw truncated }
            case .end(let end):
                if end < bytes.count { result.stripped.insert("trailing data") }
            case .scan(let range):
                scans += 1
                guard !range.isEmpty else { throw truncated }
                essence.append(contentsOf: bytes[range])
            case .segment(let marker, let payload):
                switch marker {
                // Lossless and hierarchical frames, which no browser shows either.
                case 0xC3, 0xC5...0xC8, 0xCB, 0xCD...0xCF, 0xDE, 0xF0...0xFD, 0x02...0xBF:
                    throw rare("The marker is \(marker).")
                case 0xC0...0xC2, 0xC9, 0xCA:
                    guard result.size == nil, payload.count >= 6 else { throw corrupt("A second frame.") }
                    let at = payload.lowerBound
                    guard bytes[at] == 8 else {
                        throw PhotoRejection(
                            .unsupportedFormat, "JPEGs with \(bytes[at]) bits per sample are not supported.")
                    }
                    result.size = (bytes.big16(at + 3) ?? 0, bytes.big16(at + 1) ?? 0)
                    result.valuesOfFourPixels = valuesOfFourPixels(bytes[payload.dropFirst(6)])
                    // A segment behind the first scan may say it (B.2.5), which no browser reads.
                    if result.size?.height == 0 { throw rare("The frame has no height.") }
                    components = JPEGComponents(
                        frame: bytes[payload.dropFirst(6)], isProgressive: marker == 0xC2 || marker == 0xCA)
                case 0xDA:
                    components.note(scan: bytes[payload])
                case 0xE1:
                    result.noteApplicationSegment1(bytes, payload, &extensions)
                    continue
                case 0xE2:
                    if bytes.has("ICC_PROFILE\0", at: payload.lowerBound), payload.count > 14 {
                        result.stripped.insert("ICC")
                        let part = Int(bytes[payload.lowerBound + 12])
                        profilePartCount = Int(bytes[payload.lowerBound + 13])
                        profileParts[part] = payload.lowerBound + 14..<payload.upperBound
                    } else {
                        result.stripped.insert(
                            bytes.has("MPF\0", at: payload.lowerBound) ? "MPF" : "APP2")
                    }
                    continue
                case 0xE0:
                    guard bytes.has("JFIF\0", at: payload.lowerBound), payload.count >= 14 else {
                        result.stripped.insert("APP0")
                        continue
                    }
                case 0xEE:
                    guard payload.count >= 12, bytes.has("Adobe", at: payload.lowerBound) else {
                        result.stripped.insert("APP14")
                        continue
                    }
                case 0xED:
                    result.stripped.insert("IPTC")
                    if bytes.has("Photoshop 3.0\0", at: payload.lowerBound) {
                        result.note(metadata: payload.count)
                        resources += bytes[payload.dropFirst(14)]
                    }
                    continue
                case 0xEB where bytes.has("JP", at: payload.lowerBound):
                    // JUMBF boxes (ISO 19566-5), after 8 bytes that number them. A long one goes on in more segments, which
                    // repeat its length and kind.
                    if bytes.has("jumdc2pa", at: payload.lowerBound + 20) {
                        result.note(manifests: bytes[payload.dropFirst(8)])
                    } else if !result.manifests.isEmpty {
                        result.note(manifests: bytes[payload.dropFirst(16)])
                    } else {
                        result.stripped.insert("APP11")
                    }
                    continue
                case 0xE3...0xEF:
                    result.stripped.insert("APP\(marker - 0xE0)")
                    continue
                case 0xFE:
                    result.stripped.insert("comment")
                    continue
                default:
                    break
                }
                essence.append(contentsOf: [0xFF, marker])
                essence.append(contentsOf: bytes[payload.lowerBound - 2..<payload.upperBound])
            }
        }
        guard scans > 0, result.size != nil else { throw corrupt("There is no frame.") }
        guard components.areAllScanned else { throw truncated }
        result.scans = scans
        result.xmpExtensions = extensions.whole(in: bytes)
        // What they say may be older than what the photo's own segments say.
        resources.withUnsafeBytes { result.note(photoshopResources: $0) }
        result.note(profile: profileParts.values.reduce(0) { $0 + $1.count })
        if profilePartCount > 0, profileParts.count == profilePartCount {
            let numbers = profileParts.keys.sorted()
            if numbers == Array(1...profilePartCount) {
                result.icc = numbers.flatMap { bytes.copy(profileParts[$0]!) }
                insertProfile(profileParts, of: bytes, into: &essence)
            }
        }
        essence.append(contentsOf: [0xFF, 0xD9])
        result.essence = essence
        return result
    }

    private static func rare(_ detail: String) -> PhotoRejection {
        PhotoRejection(
            .unsupportedFormat,
            "This JPEG is of a rare kind that is not supported. Please save it as an ordinary JPEG and upload that.",
            detail: detail)
    }

    /// By the sampling factors of a frame's components (B.2.2), rounded up.
    private static func valuesOfFourPixels(_ components: Slice<UnsafeRawBufferPointer>) -> Int {
        let factors = stride(from: components.startIndex + 1, to: components.endIndex, by: 3).map { at in
            (across: Int(components[at] >> 4), down: Int(components[at] & 15))
        }
        let across = factors.map(\.across).max() ?? 1
        let down = factors.map(\.down).max() ?? 1
        let sum = factors.reduce(0) { $0 + $1.across * $1.down }
        return across * down == 0 ? 16 : (4 * sum + across * down - 1) / (across * down)
    }

    private mutating func noteApplicationSegment1(
        _ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>, _ extensions: inout XMPExtensions
    ) {
        note(metadata: payload.count)
        if let block = EXIFBlock.withoutHeader(bytes.copy(payload)[...]) {
            note(exifSegment: Array(block))
        } else if bytes.has("http://ns.adobe.com/xap/1.0/", at: payload.lowerBound) {
            note(xmp: bytes[payload])
        } else {
            stripped.insert(extensions.note(bytes, payload) ? "XMP" : "APP1")
        }
    }

    private static func insertProfile(
        _ parts: [Int: Range<Int>], of bytes: UnsafeRawBufferPointer, into essence: inout [UInt8]
    ) {
        var segments: [UInt8] = []
        for number in parts.keys.sorted() {
            let payload = parts[number]!.lowerBound - 14..<parts[number]!.upperBound
            segments += [0xFF, 0xE2]
            segments.append(contentsOf: bytes[payload.lowerBound - 2..<payload.upperBound])
        }
        // Insert after JFIF, which must come first.
        let jfif = essence.count > 5 && essence[3] == 0xE0 ? 4 + (Int(essence[4]) << 8 | Int(essence[5])) : 2
        essence.insert(contentsOf: segments, at: jfif)
    }
}
