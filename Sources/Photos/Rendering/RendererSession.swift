import CLinux
import Glibc
package import Imaging

/// The life of one renderer, from its fork to its last photo.
package struct RendererSession {
    private let socket = MessageSocket(descriptor: RendererService.socket)
    private let confinement: Confinement
    /// How many it may get.
    package let photos: Int

    init(_ confinement: Confinement, photos: Int) {
        self.confinement = confinement
        self.photos = photos
    }

    /// Confines the process and renders its photos.
    package func serve() throws {
        try greet()
        for number in 1...max(1, photos) {
            let (request, descriptors) = try receive()
            let reply = answer(request, descriptors, isLast: number == photos)
            for descriptor in descriptors { close(descriptor) }
            try send(reply)
        }
    }

    package func receive() throws(MessageSocket.Failure) -> (RenderRequest, descriptors: [CInt]) {
        try socket.receive(RenderRequest.self)
    }

    package func send(_ message: some Encodable) throws(MessageSocket.Failure) { try socket.send(message) }

    /// Sets the limits for one photo.
    package func apply(_ limits: RenderLimits, isLast: Bool) throws(RendererError) {
        try confinement.apply(limits, isLast: isLast)
    }

    /// Confines the process, and says so to the coordinator, which sends no photo before.
    package func greet() throws {
        _ = linux_set_parent_death_signal(SIGKILL)
        try confinement.holdRenderer()
        try socket.send(
            RenderReply.ready(
                protocolVersion: RenderReply.protocolVersion, libraries: PhotoRenderer.libraries,
                sandbox: confinement.sandbox))
    }

    private func answer(_ request: RenderRequest, _ descriptors: [CInt], isLast: Bool) -> RenderReply {
        let outputs = Array(descriptors.dropFirst())
        guard let input = descriptors.first, outputs.count == request.recipe.renditions.count else {
            return .failure(id: request.id, code: .inputUnreadable, message: "Descriptors are missing.")
        }
        do {
            try apply(request.limits, isLast: isLast)
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
