import CCrypto

package enum Libcrypto {
    /// Keeps libcrypto usable until this process is gone. By itself it frees all that it has at exit(3), while other threads may
    /// still compute a digest or write to an encrypted connection.
    ///
    /// Call this before anything that may use libcrypto. Source: OPENSSL_init_crypto(3).
    package static func keepUntilTheEnd() {
        // It fails only if memory is exhausted.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
