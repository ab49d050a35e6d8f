import CMicroHTTPD

/// A piece of one field of a form. A field arrives in one piece or in several, in order.
package struct HTTPFormPart: Sendable {
    package let name: String
    /// What the client calls the file, if the field is one.
    package let fileName: String?
    package let contentType: String?
    /// Where in the field the piece begins, in bytes.
    package let offset: Int64
    package let bytes: [UInt8]
}

/// Splits the body of a form into its fields, while it arrives.
///
/// `@unchecked Sendable`: the one task that reads the body uses it.
package final class HTTPFormReader: @unchecked Sendable {
    private final class Parts {
        var found: [HTTPFormPart] = []
    }

    private var processor: OpaquePointer?
    private let parts = Parts()

    /// - Parameter connection: one whose request is going on.
    init?(_ connection: Connection) {
        processor = MHD_create_post_processor(
            connection.pointer, 4096,
            { context, _, name, fileName, contentType, _, data, offset, size in
                let parts = Unmanaged<Parts>.fromOpaque(context!).takeUnretainedValue()
                parts.found.append(
                    HTTPFormPart(
                        name: name.map { String(cString: $0) } ?? "",
                        fileName: fileName.map { String(cString: $0) },
                        contentType: contentType.map { String(cString: $0) }, offset: Int64(offset),
                        bytes: Array(UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size))))
                return .YES
            }, Unmanaged.passUnretained(parts).toOpaque())
        if processor == nil { return nil }
    }

    deinit { if let processor { MHD_destroy_post_processor(processor) } }

    /// The pieces of fields in the next piece of the body; nil if the body is not what its type says.
    package func parse(_ chunk: [UInt8]) -> [HTTPFormPart]? {
        guard let processor else { return nil }
        let result = chunk.withUnsafeBytes {
            MHD_post_process(processor, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return result == .YES ? take() : nil
    }

    /// The last pieces, when the body has ended; nil if the form has not.
    package func finish() -> [HTTPFormPart]? {
        defer { processor = nil }
        guard let processor, MHD_destroy_post_processor(processor) == .YES else { return nil }
        return take()
    }

    private func take() -> [HTTPFormPart] {
        defer { parts.found = [] }
        return parts.found
    }
}
