/// How often, and for how long, a request is tried again.
///
/// Before the next try comes a pause of random length, so that many clients of a store that was away do not come back at
/// the same moment ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter").
package struct TryPolicy: Sendable, Hashable {
    /// At most so many tries.
    package var tries = 5
    /// The longest pause after the first try; it doubles with each.
    package var firstPause = Duration.milliseconds(100)
    package var longestPause = Duration.seconds(5)
    /// After this time since the first try began there is no other.
    package var patience = Duration.seconds(120)

    package init() {}

    package static let once: TryPolicy = {
        var policy = TryPolicy()
        policy.tries = 1
        return policy
    }()

    /// The pause before the next try; nil if there is none.
    func pause(
        afterTry number: Int, elapsed: Duration,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Duration? {
        guard number < tries else { return nil }
        let longest = min(longestPause, firstPause * (1 << min(number - 1, 20)))
        let pause = longest * random(0...1)
        return elapsed + pause < patience ? pause : nil
    }
}

/// What became of one try, for logs and metrics.
package struct TryReport: Sendable {
    /// Such as `PUT`.
    package let method: String
    /// Which try of the same request it was, from 1.
    package let number: Int
    /// Nil if there was no reply.
    package let status: Int?
    /// Nil if it succeeded.
    package let error: ObjectStoreError?
    /// After which pause it is tried again; nil if it is not.
    package let pause: Duration?
    package let duration: Duration
    /// The sizes of the bodies; of one that was cut, what was to be sent and 0.
    package let bytesSent: Int64
    package let bytesReceived: Int64
    /// How many connections were opened for it.
    package let connections: Int
}
