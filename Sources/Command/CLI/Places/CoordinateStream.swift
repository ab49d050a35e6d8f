import Arguments
import CommandSupport
import Gazetteer
import Glibc

/// Reads lines of `lat<TAB>lon` from standard input and prints one JSON object per line.
///
/// It prints the results of one read before the next read, so another program can ask line by line.
struct CoordinateStream {
    let gazetteer: Gazetteer
    /// The language to add names in; nil for none.
    let language: String?

    private static let chunkSize = 1 << 16

    func run() throws {
        // On a terminal that also shows the results, a progress bar would only mix with them.
        let isWatched = Terminal.isTerminal(STDERR_FILENO) && !Terminal.isTerminal(STDOUT_FILENO)
        let progress = isWatched ? ProgressLine(label: "Naming places") : nil
        let total = Self.inputSize()
        var reader = CoordinateLines()
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        var done = 0
        while true {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandError("cannot read standard input: \(String(cString: strerror(errno)))")
            }
            var text = ""
            let result = Result {
                try reader.take(chunk[..<count], isLast: count == 0) {
                    text += gazetteer.reverse($0).json(at: $0, language: language).line
                    text += "\n"
                }
            }
            guard try Output.raw(text) else { break }
            try result.get()
            if count == 0 { break }
            done += count
            progress?.update(done: done, total: total, note: "bytes, \(reader.line) lines")
        }
        progress?.finish("bytes, \(reader.line) lines")
    }

    /// Bytes left to read of a regular file; 0 for a pipe.
    private static func inputSize() -> Int {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return max(0, Int(status.st_size) - Int(lseek(STDIN_FILENO, 0, SEEK_CUR)))
    }
}
