package import Proxying

extension StallingProxy {
    /// Calls `body` with a proxy in front of the test process's server.
    package static func with<T>(_ body: (StallingProxy) async throws -> T) async throws -> T {
        let server = try await ThrowawayCluster.shared.server()
        // Below the server's directory, which goes with this process however that ends.
        return try await with(before: server.socketDirectory, in: server.directory, body)
    }
}
