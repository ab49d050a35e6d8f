import CommandSupport

/// Lets SIGINT, SIGTERM and SIGHUP cancel `body`, so that it removes its databases and files.
func interruptible(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let work = Task { try await body() }
    let signals = Signals.stream()
    let watch = Task { for await _ in signals { work.cancel() } }
    let result = await work.result
    watch.cancel()
    try result.get()
}
