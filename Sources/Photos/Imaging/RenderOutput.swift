import Glibc

/// A file for a renderer to write one rendition to.
package protocol RenderOutput: Sendable {
    /// Open for reading and writing; the file is empty. The renderer is lent it.
    var descriptor: CInt { get }

    /// Gives all bytes of the file to `check`, once, when the renderer has finished. What is then done with the file is
    /// done with those bytes only. Blocks.
    ///
    /// - Parameter limit: more bytes are an error.
    func look(atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// A file that is looked at and left as it is, for those who publish nothing.
struct ScratchOutput: RenderOutput {
    let descriptor: CInt

    func look(atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size <= limit,
            let bytes = readWhole(descriptor, count: Int(status.st_size))
        else { throw RendererError(.outputFailed, "A rendition cannot be read back.") }
        try bytes.withUnsafeBytes(check)
    }
}

extension RenderedImage {
    /// Makes sure that `bytes` are the plain picture that was reported. No others may be published.
    func check(_ bytes: UnsafeRawBufferPointer, as encoding: RenditionEncoding) throws(RendererError) {
        guard bytes.count == self.bytes else {
            throw .violation("The rendition \(name) does not have the reported number of bytes.")
        }
        let structure: RenditionStructure
        do throws(RenditionStructure.Fault) {
            structure = try RenditionStructure(checking: bytes, as: encoding.format)
        } catch {
            throw RendererError(.unsafeOutput, "The rendition \(name) is not published: \(error.description)")
        }
        guard structure.width == width, structure.height == height,
            structure.frames == 1 || encoding.keepsFrames
        else { throw .violation("The rendition \(name) is not the image that was reported.") }
    }
}

extension RendererError {
    static func violation(_ message: String) -> RendererError {
        RendererError(.protocolViolation, "The renderer's answer cannot be used. \(message)")
    }
}
