import FoundationEssentials
import Glibc
import Imaging
import TestKit
import Testing

/// Renderers that have been taken over, with some layers of the sandbox. See `Tests/Photos/Breakout`.
final class Escapee: Sendable {
    let pool: RendererPool

    /// Built in the directory of the renderer.
    static var program: String {
        URL(filePath: rendererPath!).deletingLastPathComponent().appending(path: "Breakout").path
    }

    /// - Parameter layers: `all`, `none`, or names with commas between them.
    static func with(
        _ layers: String, isolation: RendererPool.Isolation = .photo, size: Int = 1,
        limits: RenderLimits = .patient, startSeconds: Double = 60,
        _ body: (Escapee) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { (directory: String) async throws -> Void in
            let path = directory + "/renderer"
            try await writeProgram(Array("#!/bin/sh\nexec '\(program)' \(layers) \"$@\"\n".utf8), to: path)
            let escapee = Escapee(
                RendererPool(
                    executable: path, size: size, limits: limits, retirement: .init(isolation),
                    startSeconds: startSeconds))
            let result: Result<Void, any Error>
            do { result = .success(try await body(escapee)) } catch { result = .failure(error) }
            await escapee.pool.shutdown()
            try result.get()
        }
    }

    private init(_ pool: RendererPool) { self.pool = pool }

    /// What became of an attempt: the text of the reply, or how the renderer ended.
    func attempt(_ name: String, _ target: String = "-") async throws -> String {
        do {
            guard case .rejected(let rejection, _) = try await render("\(name) \(target)") else {
                return "accepted"
            }
            return rejection.message
        } catch let error as RendererError {
            return "\(error.code)"
        }
    }

    /// The error of a photo that has the renderer do something.
    func failure(_ order: String) async throws -> RendererError {
        try #require(await #expect(throws: RendererError.self) { try await render(order) })
    }

    private func render(_ order: String) async throws -> RenderVerdict {
        let photo = ScratchFile(PhotoFixture.jpeg(width: 16, height: 16))
        let rendition = ScratchFile()
        let recipe = Recipe(
            name: order, version: 1, renditions: [RenditionSpec(name: "a", shape: .fit(longSide: 16))])
        return try await pool.render(
            input: photo.descriptor, outputs: [rendition.descriptor], recipe: recipe)
    }

    /// The processes of the pool's zygotes and renderers, as soon as each slot has both.
    func processes() async throws -> (zygotes: [Int32], renderers: [Int32]) {
        while true {
            let statistics = pool.statistics
            if let fault = statistics.fault { throw fault }
            if !statistics.processes.isEmpty, statistics.processes.count == statistics.zygotes.count {
                return (statistics.zygotes, statistics.processes)
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
