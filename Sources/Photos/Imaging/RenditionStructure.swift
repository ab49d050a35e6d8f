/// The structure of a rendition, accepted only if it holds nothing but pixels.
///
/// This is what guarantees that no metadata is published: the coordinator checks every byte that it hashes and links,
/// whatever the renderer said. The walkers share nothing with the encoders and know only what those write; whatever else
/// a file format allows is a fault.
package struct RenditionStructure: Sendable, Hashable {
    package var width: Int
    package var height: Int
    /// More than 1 in an animation.
    package var frames = 1

    init(width: Int, height: Int, frames: Int = 1) {
        self.width = width
        self.height = height
        self.frames = frames
    }

    /// Why a file may not be published.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package enum Code: Sendable, Equatable {
            /// A segment, chunk, box or item that holds something else than pixels, by its name.
            case metadata(String)
            case comment
            case trailingBytes(Int)
            /// Bytes that nothing refers to.
            case hiddenBytes(Int)
            case truncated
            case malformed
        }
        package var code: Code

        init(_ code: Code) { self.code = code }

        package var description: String {
            switch code {
            case .metadata(let name): "It holds metadata in \(name)."
            case .comment: "It holds a comment."
            case .trailingBytes(let count): "It holds \(count) bytes after its end."
            case .hiddenBytes(let count): "It holds \(count) bytes that are no part of the picture."
            case .truncated: "It ends before its end."
            case .malformed: "It is not a well-formed file of its format."
            }
        }
    }

    /// Checks a whole file.
    package init(
        checking bytes: UnsafeRawBufferPointer, as format: RenditionEncoding.Format
    ) throws(Fault) {
        self = try format.traits.walk(bytes)
    }
}
