/// The structure of a rendition, which is accepted only if it holds nothing but pixels, and credit if the recipe keeps it.
///
/// This guarantees that no metadata is published: the coordinator checks every byte that it hashes and links. The
/// walkers share no code with the encoders and accept only what those write, not all that a file format allows.
package struct RenditionStructure: Sendable, Hashable {
    package var width: Int
    package var height: Int
    /// More than 1 in an animation.
    package var frames = 1
    /// What the one XMP packet says that a rendition may hold.
    package var credit: PhotoCredit?

    init(width: Int, height: Int, frames: Int = 1, credit: PhotoCredit? = nil) {
        self.width = width
        self.height = height
        self.frames = frames
        self.credit = credit
    }

    /// Why a file may not be published.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package enum Code: Sendable, Equatable {
            /// The name of a segment, chunk, box or item that holds something other than pixels.
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
            case .metadata(let name): "It has metadata in \(name)."
            case .comment: "It has a comment."
            case .trailingBytes(let count): "It has \(count) bytes after the end of the picture."
            case .hiddenBytes(let count): "It has \(count) bytes that are not part of the picture."
            case .truncated: "It is truncated."
            case .malformed: "It is malformed."
            }
        }
    }

    /// - Parameter keepsCredit: whether there may be one XMP packet of our own form. Without it, there may be none.
    package init(
        checking bytes: UnsafeRawBufferPointer, as format: RenditionEncoding.Format, keepsCredit: Bool = false
    ) throws(Fault) {
        self = try format.traits.walk(bytes, keepsCredit)
    }
}
