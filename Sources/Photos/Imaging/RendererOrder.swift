/// What the coordinator sends to the zygote: fork a renderer. With it come the renderer's socket and its standard error.
package struct RendererOrder: Codable, Sendable {
    /// How many photos the renderer will get.
    package var photos: Int

    package init(photos: Int) { self.photos = photos }
}

/// The zygote's reply to an order.
package struct RendererBirth: Codable, Sendable {
    /// The identifier of the renderer, which is a child of the coordinator.
    package var process: Int32

    package init(process: Int32) { self.process = process }
}
