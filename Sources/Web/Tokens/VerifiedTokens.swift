import Digests
import FoundationEssentials
import Synchronization

/// The tokens that were verified lately, by their SHA-256, so that a token is verified once and not for every request.
///
/// It holds at most `most` tokens in two halves: when the newer half is full, it becomes the older one, which is forgotten.
/// A token that is used moves to the newer half. Only tokens whose signature holds get in, so nobody without an account
/// can fill it.
final class VerifiedTokens: Sendable {
    private struct Halves {
        var newer: [SHA256Digest: VerifiedToken] = [:]
        var older: [SHA256Digest: VerifiedToken] = [:]
    }

    private let half: Int
    private let halves = Mutex(Halves())

    /// - Parameter most: 2 or more.
    init(most: Int) {
        precondition(most >= 2)
        half = most / 2
    }

    var count: Int { halves.withLock { $0.newer.count + $0.older.count } }

    func token(_ digest: SHA256Digest) -> VerifiedToken? {
        halves.withLock { halves in
            if let token = halves.newer[digest] { return token }
            guard let token = halves.older.removeValue(forKey: digest) else { return nil }
            insert(token, digest, &halves)
            return token
        }
    }

    func insert(_ token: VerifiedToken, _ digest: SHA256Digest) {
        halves.withLock { insert(token, digest, &$0) }
    }

    func remove(_ digest: SHA256Digest) {
        halves.withLock { halves in
            halves.newer[digest] = nil
            halves.older[digest] = nil
        }
    }

    private func insert(_ token: VerifiedToken, _ digest: SHA256Digest, _ halves: inout Halves) {
        if halves.newer.count >= half {
            halves.older = halves.newer
            halves.newer = [:]
        }
        halves.newer[digest] = token
    }
}
