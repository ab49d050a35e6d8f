import Glibc

/// The file to which a renderer writes one rendition.
package protocol RenderOutput: Sendable {
    /// Open for reading and writing; the file is empty. The renderer gets a copy of the descriptor.
    var descriptor: CInt { get }

    /// Passes all bytes of the file to `check` once, when the renderer has finished. The file is then used only with
    /// exactly those bytes. Blocks.
    ///
    /// - Parameter limit: in bytes; a larger file is an error.
    func look(atMost limit: Int, _ check: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// A file that is checked and then left as it is, for callers that publish nothing.
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
    /// Makes sure that `bytes` are the reported picture without metadata but `credit`. Nothing else may be published.
    func check(
        _ bytes: UnsafeRawBufferPointer, as encoding: RenditionEncoding, credit: PhotoCredit?
    ) throws(RendererError) {
        guard bytes.count == self.bytes else {
            throw .violation("The rendition \(name) does not have the reported number of bytes.")
        }
        let structure: RenditionStructure
        do throws(RenditionStructure.Fault) {
            structure = try RenditionStructure(
                checking: bytes, as: encoding.format, keepsCredit: credit != nil)
        } catch {
            throw RendererError(.unsafeOutput, "The rendition \(name) is not published: \(error.description)")
        }
        guard structure.credit == credit else {
            throw RendererError(
                .unsafeOutput, "The rendition \(name) is not published: its credit is not the photo's.")
        }
        guard structure.width == width, structure.height == height,
            structure.frames == 1 || encoding.keepsFrames
        else { throw .violation("The rendition \(name) is not the image that was reported.") }
    }
}

extension RendererError {
    static func violation(_ message: String) -> RendererError {
        RendererError(.protocolViolation, "The renderer's reply is invalid. \(message)")
    }
}
