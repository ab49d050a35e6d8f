import Glibc

extension RendererPool {
    /// Where the renderer should be: `DARKROOM_RENDERER`, else `darkroom-renderer` in the directory of this program.
    package static var expectedExecutable: String {
        if let given = getenv("DARKROOM_RENDERER") { return String(cString: given) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = max(0, readlink("/proc/self/exe", &buffer, buffer.count))
        let own = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.lastIndex(of: "/").map { own[...$0] + "darkroom-renderer" } ?? "darkroom-renderer"
    }

    /// ``expectedExecutable``, or nil if that is not an executable file.
    package static func locateExecutable() -> String? {
        let path = expectedExecutable
        return access(path, X_OK) == 0 ? path : nil
    }
}
