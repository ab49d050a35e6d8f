import Glibc

extension RendererPool {
    /// The renderer to use: `DARKROOM_RENDERER`, else `darkroom-renderer` in the directory of this program.
    ///
    /// Nil if that is not an executable file.
    package static func locateExecutable() -> String? {
        if let given = getenv("DARKROOM_RENDERER") {
            let path = String(cString: given)
            return access(path, X_OK) == 0 ? path : nil
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0 else { return nil }
        let own = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return nil }
        let path = own[...slash] + "darkroom-renderer"
        return access(String(path), X_OK) == 0 ? String(path) : nil
    }
}
