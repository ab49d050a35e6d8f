/// What the renderer decided about one photo.
package enum RenderVerdict: Codable, Sendable, Hashable {
    /// The renditions are in the order of the recipe. There are none if the photo was only inspected.
    case accepted(PhotoReport, [RenderedImage])
    /// There is a report if the photo could be read far enough to make one.
    case rejected(PhotoRejection, PhotoReport?)
}

/// One rendition as written to its descriptor.
package struct RenderedImage: Codable, Sendable, Hashable {
    /// The name of its `RenditionSpec`.
    package var name: String
    package var width: Int
    package var height: Int
    package var bytes: Int

    package init(name: String, width: Int, height: Int, bytes: Int) {
        self.name = name
        self.width = width
        self.height = height
        self.bytes = bytes
    }
}

/// One photo to render. The input and the outputs are sent with it as descriptors, in this order.
package struct RenderRequest: Codable, Sendable {
    package var id: UInt64
    package var recipe: Recipe
    package var limits: RenderLimits

    package init(id: UInt64, recipe: Recipe, limits: RenderLimits) {
        self.id = id
        self.recipe = recipe
        self.limits = limits
    }
}

/// What a renderer sends: `ready` once, then one reply per request.
package enum RenderReply: Codable, Sendable {
    /// The libraries are loaded and the process is confined. `libraries` lists them with versions.
    case ready(protocolVersion: Int, libraries: String, sandbox: Sandbox)
    case verdict(id: UInt64, RenderVerdict, cpu: StageTimes)
    /// The system failed; the photo is not the cause.
    case failure(id: UInt64, code: RendererError.Code, message: String)

    package static let protocolVersion = 8
}
