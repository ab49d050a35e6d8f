/// The structure of a rendition, accepted only if it holds nothing but pixels.
///
/// This is what guarantees that no metadata is published: the renderer checks its output before it
/// writes, and the coordinator checks the bytes again, whatever the renderer said.
package struct JPEGStructure: Sendable, Hashable {
    package var width: Int
    package var height: Int
    /// 1 (grey) or 3 (YCbCr).
    package var components: Int
    package var scans: Int

    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package enum Code: Sendable, Equatable {
            /// An application segment other than a bare JFIF header.
            case metadata(marker: UInt8)
            case comment
            case trailingBytes(Int)
            case truncated
            case malformed
        }
        package var code: Code

        package var description: String {
            switch code {
            case .metadata(let marker): "It holds metadata in marker 0x\(String(marker, radix: 16))."
            case .comment: "It holds a comment."
            case .trailingBytes(let count): "It holds \(count) bytes after its end."
            case .truncated: "It ends before its end marker."
            case .malformed: "It is not a well-formed JPEG."
            }
        }
    }

    /// Checks a whole file.
    ///
    /// Allowed are: one JFIF APP0 without thumbnail, quantisation, Huffman and restart tables, one
    /// baseline or progressive frame of 8 bits, scans, and the end marker as the last byte.
    package init(checking bytes: UnsafeRawBufferPointer) throws(Fault) {
        var walk = JPEGSegments(bytes)
        var frame: (width: Int, height: Int, components: Int)?
        var scans = 0
        var sawJFIF = false
        while let element = walk.next() {
            switch element {
            case .malformed: throw Fault(code: .malformed)
            case .truncated: throw Fault(code: .truncated)
            case .scan: scans += 1
            case .end(let end):
                guard end == bytes.count else { throw Fault(code: .trailingBytes(bytes.count - end)) }
            case .segment(let marker, let payload):
                switch marker {
                case 0xDB, 0xC4, 0xDD, 0xDA:
                    continue
                case 0xE0:
                    let jfif: [UInt8] = [0x4A, 0x46, 0x49, 0x46, 0x00]
                    guard !sawJFIF, payload.count == 14, bytes[payload].starts(with: jfif),
                        bytes[payload.upperBound - 1] == 0, bytes[payload.upperBound - 2] == 0
                    else { throw Fault(code: .metadata(marker: marker)) }
                    sawJFIF = true
                case 0xE1...0xEF: throw Fault(code: .metadata(marker: marker))
                case 0xFE: throw Fault(code: .comment)
                case 0xC0, 0xC1, 0xC2:
                    let at = payload.lowerBound
                    guard frame == nil, payload.count >= 6, bytes[at] == 8 else {
                        throw Fault(code: .malformed)
                    }
                    frame = (
                        Int(bytes[at + 3]) << 8 | Int(bytes[at + 4]),
                        Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]), Int(bytes[at + 5])
                    )
                default: throw Fault(code: .malformed)
                }
            }
        }
        guard let frame, scans > 0, frame.width > 0, frame.height > 0,
            frame.components == 1 || frame.components == 3
        else { throw Fault(code: .malformed) }
        (width, height, components) = frame
        self.scans = scans
    }
}
