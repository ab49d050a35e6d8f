import CLinux
import Glibc
import Imaging

/// The renderer's side of the protocol: renders one photo after another until the socket closes.
package enum RendererService {
    /// The descriptor of the socket to the coordinator.
    package static let socket: CInt = 3

    /// Sandboxes the process, loads the libraries, and serves requests. Returns the exit status.
    ///
    /// - Parameter parent: the coordinator's process identifier.
    package static func run(parent: Int32) -> CInt {
        _ = linux_set_parent_death_signal(SIGKILL)
        // The parent may have died before the signal was set.
        guard getppid() == parent else { return 1 }
        let socket = MessageSocket(descriptor: Self.socket)
        do {
            var sandbox = Sandbox()
            try Confinement.begin(&sandbox)
            try PhotoRenderer.start()
            Confinement.finish(&sandbox, socket: Self.socket)
            try socket.send(
                RenderReply.ready(
                    protocolVersion: RenderReply.protocolVersion, libraries: PhotoRenderer.libraries,
                    sandbox: sandbox))
            while true {
                let (request, descriptors) = try socket.receive(RenderRequest.self)
                let reply = answer(request, descriptors)
                for descriptor in descriptors { close(descriptor) }
                try socket.send(reply)
            }
        } catch let failure as MessageSocket.Failure {
            if case .closed = failure.code { return 0 }
            complain(failure.message)
        } catch {
            complain("\(error)")
        }
        return 1
    }

    private static func answer(_ request: RenderRequest, _ descriptors: [CInt]) -> RenderReply {
        let outputs = Array(descriptors.dropFirst())
        guard let input = descriptors.first, outputs.count == request.recipe.renditions.count else {
            return .failure(id: request.id, code: .inputUnreadable, message: "Descriptors are missing.")
        }
        do {
            try Confinement.apply(request.limits)
            let (verdict, times) = try PhotoRenderer.render(
                input: input, outputs: outputs, recipe: request.recipe, limits: request.limits)
            return .verdict(id: request.id, verdict, cpu: times)
        } catch let error as RendererError {
            // A limit that cannot be set is not the photo's fault either.
            let code = error.code == .cannotStart ? .faulted : error.code
            return .failure(id: request.id, code: code, message: error.message)
        } catch {
            return .failure(id: request.id, code: .faulted, message: "\(error)")
        }
    }
}

/// The coordinator quotes the end of this output in its error messages.
private func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = Glibc.write(2, line, line.count)
}
