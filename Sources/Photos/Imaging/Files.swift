import Glibc

/// Reads the first `count` bytes of a file with `pread`. Returns nil if the file is shorter or cannot be read.
package func readWhole(_ descriptor: CInt, count: Int) -> [UInt8]? {
    var complete = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count {
            let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(filled))
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else {
                complete = false
                return
            }
            filled += got
        }
    }
    return complete ? bytes : nil
}

/// Writes `bytes` at the start of a file with `pwrite`. Returns the error number if that fails.
package func writeWhole(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt? {
    var written = 0
    while written < bytes.count {
        let put = pwrite(descriptor, bytes.baseAddress! + written, bytes.count - written, off_t(written))
        if put < 0 && errno == EINTR { continue }
        guard put > 0 else { return put < 0 ? errno : EIO }
        written += put
    }
    return nil
}
