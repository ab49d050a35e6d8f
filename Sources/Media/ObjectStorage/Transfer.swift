import CCurl
import Digests
import Glibc
import Synchronization

/// An HTTP exchange that curl is at.
///
/// `@unchecked Sendable`: everything that changes is touched only on the transfers' thread, apart from `isCancelled`.
final class Transfer: @unchecked Sendable {
    typealias Outcome = Result<TransferReply, TransferFault>

    let call: TransferCall
    let isCancelled = Atomic(false)
    private let finish: @Sendable (Outcome) -> Void

    private(set) var handle: UnsafeMutableRawPointer?
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// Where curl writes what went wrong.
    let messages = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// What a callback found wrong: it tells more than curl's code.
    var fault: TransferFault.Kind?

    var sent: Int64 = 0
    private var sentHasher: SHA256Hasher?

    var headers: [String: String] = [:]
    /// Curl takes the end of a connection for the end of the headers too.
    var isHeadWhole = false
    private var headerBytes = 0
    var received: Int64 = 0
    var receivedHasher: SHA256Hasher?
    var body: [UInt8] = []

    /// How much is kept of the body of an error.
    private static let errorLimit = 64 << 10

    init(_ call: TransferCall, finish: @escaping @Sendable (Outcome) -> Void) {
        self.call = call
        self.finish = finish
        messages.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        release()
        messages.deallocate()
    }

    /// Makes curl's handle. Returns false if there is no memory for it.
    func prepare() -> Bool {
        guard let handle = curl_easy_init() else { return false }
        self.handle = handle
        var lines = call.headers.map { "\($0.name): \($0.value)" }
        // Asking first whether a body is wanted costs a round trip, which only a large one is worth.
        if call.body.count < 1 << 20 { lines.append("Expect:") }
        for line in lines {
            guard let longer = curl_slist_append(headerList, line) else { return false }
            headerList = longer
        }
        if case .file(let descriptor, _) = call.sink {
            receivedHasher = SHA256Hasher()
            // What an earlier try left.
            if let descriptor, ftruncate(descriptor, 0) != 0 {
                fault = .writing(errno)
                return false
            }
        }
        restartBody()
        set(options: handle)
        return true
    }

    private func set(options handle: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        curl_shim_set_text(handle, CURLOPT_URL, call.url)
        curl_shim_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        curl_shim_set_long(handle, CURLOPT_PATH_AS_IS, 1)
        curl_shim_set_long(handle, CURLOPT_NOSIGNAL, 1)
        curl_shim_set_list(handle, CURLOPT_HTTPHEADER, headerList)
        curl_shim_set_pointer(handle, CURLOPT_ERRORBUFFER, messages)
        curl_shim_set_long(handle, CURLOPT_BUFFERSIZE, 256 << 10)
        curl_shim_set_long(handle, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        if call.isFresh {
            curl_shim_set_long(handle, CURLOPT_FRESH_CONNECT, 1)
            curl_shim_set_long(handle, CURLOPT_FORBID_REUSE, 1)
        }
        if !call.usesProxy { curl_shim_set_text(handle, CURLOPT_PROXY, "") }
        if let certificates = call.certificates { curl_shim_set_text(handle, CURLOPT_CAINFO, certificates) }

        curl_shim_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, call.limits.connect.milliseconds)
        curl_shim_set_long(handle, CURLOPT_TIMEOUT_MS, call.limits.whole.milliseconds)
        curl_shim_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
        curl_shim_set_long(handle, CURLOPT_LOW_SPEED_TIME, max(1, call.limits.idle.milliseconds / 1000))

        switch (call.method, call.body) {
        case (.head, _): curl_shim_set_long(handle, CURLOPT_NOBODY, 1)
        case (.put, _), (.post, _):
            curl_shim_set_long(handle, CURLOPT_UPLOAD, 1)
            curl_shim_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(call.body.count))
            curl_shim_set_text(handle, CURLOPT_CUSTOMREQUEST, call.method.rawValue)
            curl_shim_set_data(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                Transfer.of(context).give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            }
            curl_shim_set_pointer(handle, CURLOPT_READDATA, context)
            curl_shim_set_seek(handle) { context, offset, origin in
                Transfer.of(context).rewind(to: offset, origin)
            }
            curl_shim_set_pointer(handle, CURLOPT_SEEKDATA, context)
        default: curl_shim_set_text(handle, CURLOPT_CUSTOMREQUEST, call.method.rawValue)
        }
        curl_shim_set_data(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            Transfer.of(context).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        curl_shim_set_pointer(handle, CURLOPT_HEADERDATA, context)
        curl_shim_set_data(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            Transfer.of(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        curl_shim_set_pointer(handle, CURLOPT_WRITEDATA, context)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Frees curl's handle and tells the outcome. The handle must have left the multi handle.
    func end(_ code: CURLcode) {
        let outcome = outcome(code)
        release()
        finish(outcome)
    }

    /// Ends without curl's part.
    func fail(_ kind: TransferFault.Kind) {
        release()
        finish(.failure(TransferFault(kind: fault ?? kind)))
    }

    private func release() {
        if let handle { curl_easy_cleanup(handle) }
        handle = nil
        curl_slist_free_all(headerList)
        headerList = nil
    }
}

// MARK: Called by curl

extension Transfer {
    private static let abort = Int(CURL_READFUNC_ABORT)

    private func restartBody() {
        sent = 0
        if case .file(_, _, _, .some) = call.body { sentHasher = SHA256Hasher() }
    }

    /// Fills `buffer` with what is to be sent next.
    private func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Int(min(Int64(buffer.count), call.body.count - sent))
        guard count > 0 else { return 0 }
        switch call.body {
        case .none: return 0
        case .bytes(let bytes):
            buffer.copyBytes(from: bytes[Int(sent)..<Int(sent) + count])
            sent += Int64(count)
            return count
        case .file(let descriptor, let offset, let whole, let sha256):
            var got = 0
            repeat {
                got = pread(descriptor, buffer.baseAddress, count, off_t(offset + sent))
            } while got < 0
                && errno == EINTR
            guard got > 0 else {
                fault = got == 0 ? .fileEnded : .reading(errno)
                return Self.abort
            }
            sent += Int64(got)
            guard let sha256 else { return got }
            sentHasher?.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
            if sent == whole, sentHasher.take()?.finish() != sha256 {
                fault = .digestMismatch
                return Self.abort
            }
            return got
        }
    }

    /// Curl sends a body again if the open connection that it took turns out to have been closed.
    private func rewind(to offset: curl_off_t, _ origin: CInt) -> CInt {
        guard offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
        restartBody()
        return CURL_SEEKFUNC_OK
    }

    private func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
        headerBytes += line.count
        guard headerBytes <= 256 << 10 else { return 0 }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // Another reply follows a 100.
            headers = [:]
            isHeadWhole = false
        } else if text == "\r\n" || text == "\n" {
            isHeadWhole = true
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop(while: \.isWhitespace)
            let end = value.lastIndex { !$0.isWhitespace }
            headers[text[..<colon].lowercased()] = end.map { String(value[...$0]) } ?? ""
        }
        return line.count
    }

    /// Writes after what was received.
    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(received) + off_t(written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                fault = .writing(errno)
                return false
            }
            written += count
        }
        return true
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !bytes.isEmpty else { return 0 }
        switch call.sink {
        case .file(let descriptor, let limit) where (200..<300).contains(status):
            // Not judged by the announced length: a proxy may misstate it.
            guard received + Int64(bytes.count) <= limit else {
                fault = .tooLarge(announced: announced)
                return 0
            }
            receivedHasher?.update(bytes)
            if let descriptor, !write(bytes, to: descriptor) { return 0 }
            received += Int64(bytes.count)
        case .memory(let limit) where (200..<300).contains(status):
            received += Int64(bytes.count)
            guard received <= limit else {
                fault = .tooLarge(announced: announced)
                return 0
            }
            body += bytes
        default:
            received += Int64(bytes.count)
            body += bytes.prefix(max(0, Self.errorLimit - body.count))
        }
        return bytes.count
    }
}
