import Digests

/// One HTTP exchange, before it happens.
struct TransferCall: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    /// What is sent.
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A part of an open file, read with `pread`.
        ///
        /// With a digest, the last piece is withheld if what was read does not match: then the store gets no whole body.
        case file(descriptor: CInt, offset: Int64, count: Int64, sha256: SHA256Digest?)

        var count: Int64 {
            switch self {
            case .none: 0
            case .bytes(let bytes): Int64(bytes.count)
            case .file(_, _, let count, _): count
            }
        }
    }

    /// Where the body of a successful reply goes. That of any other is kept in memory.
    enum Sink: Sendable {
        case memory(limit: Int)
        /// Hashed, and written from the start of an empty file with `pwrite` if there is one.
        case file(descriptor: CInt?, limit: Int64)
    }

    var method: Method
    /// Percent-encoded.
    var url: String
    var headers: [(name: String, value: String)] = []
    var body = Body.none
    var sink = Sink.memory(limit: 1 << 20)
    var limits = TransferLimits()
    /// Whether the environment's proxy (`https_proxy`, `no_proxy`) is used.
    var usesProxy = true
    /// A file of certificates to trust instead of the system's.
    var certificates: String?
    /// Whether it has a connection of its own.
    var isFresh = false
}

/// How long a try may take.
package struct TransferLimits: Sendable, Hashable {
    /// To connect, TLS included.
    package var connect = Duration.seconds(10)
    /// Without any byte, in whole seconds.
    package var idle = Duration.seconds(30)
    /// In all: less than an attempt of a job may take, so that it ends with the store's error.
    package var whole = Duration.seconds(240)

    package init(
        connect: Duration = .seconds(10), idle: Duration = .seconds(30), whole: Duration = .seconds(240)
    ) {
        self.connect = connect
        self.idle = idle
        self.whole = whole
    }
}

/// The reply of an HTTP server.
struct TransferReply: Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    /// Empty if the body went to a file.
    var body: [UInt8]
    /// How many bytes the body has, and their digest if they went to a file.
    var received: Int64
    var digest: SHA256Digest?
    /// How many connections had to be made: 0 if an open one was used again.
    var connections: Int
    /// 11 or 20.
    var httpVersion: Int

    var isSuccess: Bool { (200..<300).contains(status) }
}

/// Why there is no reply.
struct TransferFault: Error, Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case cancelled
        case connectTimeout, idleTimeout, wholeTimeout
        /// No connection, or it was cut.
        case connection
        case tls
        /// TLS could not be agreed on, or the connection was cut before it was.
        case handshake
        /// The reply does not say where it ends.
        case endless
        /// With the size that was announced, if it was.
        case tooLarge(announced: Int64?)
        case digestMismatch
        case fileEnded
        case reading(CInt)
        case writing(CInt)
        /// Out of memory, or a fault in this client.
        case client
    }

    var kind: Kind
    /// What curl says of it.
    var text = ""
}
