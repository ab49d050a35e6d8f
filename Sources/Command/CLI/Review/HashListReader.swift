import CommandSupport
import Glibc
import Posts

/// The lines of a file that may be too large for memory.
final class HashListReader {
    private let input: CInt
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// Of the file, in bytes; 0 if it is a stream.
    let size: Int
    /// How many bytes were read.
    private(set) var offset = 0

    init(_ input: CInt) {
        self.input = input
        var status = stat()
        size = fstat(input, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }

    /// The next line without its end; nil at the end. Of a line that is too long, only the beginning.
    func next() throws -> ArraySlice<UInt8>? {
        var isTooLong = false
        var beginning: ArraySlice<UInt8> = []
        while true {
            if let end = buffer[start...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return isTooLong ? beginning : buffer[start..<end]
            }
            if buffer.count - start > HashListLine.longest, !isTooLong {
                isTooLong = true
                beginning = buffer[start...]
            }
            buffer.removeSubrange(..<(isTooLong ? buffer.count : start))
            start = 0
            if isAtEnd {
                defer { buffer = [] }
                return isTooLong ? beginning : buffer.isEmpty ? nil : buffer[...]
            }
            try fill()
        }
    }

    private func fill() throws {
        let count = buffer.count
        let wanted = 1 << 16
        buffer += [UInt8](repeating: 0, count: wanted)
        let got = buffer.withUnsafeMutableBytes { read(input, $0.baseAddress! + count, wanted) }
        buffer.removeLast(wanted - max(0, got))
        guard got >= 0 else {
            throw CommandError("the list cannot be read: \(String(cString: strerror(errno)))")
        }
        offset += got
        isAtEnd = got == 0
    }
}
