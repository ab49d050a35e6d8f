/// CPU seconds of the renderer by stage. libvips decodes during the first reduction, so both are one stage.
package struct StageTimes: Codable, Sendable, Hashable {
    /// Reading the file, walking its structure, metadata, budgets.
    package var inspect = 0.0
    /// Decoding, the first reduction, colours, orientation.
    package var decode = 0.0
    /// Further reductions and crops.
    package var reduce = 0.0
    package var encode = 0.0
    /// Placeholder and perceptual hash.
    package var hash = 0.0
    package var write = 0.0

    package init() {}

    /// In the order in which they run.
    package static let stages: [(name: String, path: any (WritableKeyPath<StageTimes, Double> & Sendable))] =
        [
            ("inspect", \.inspect), ("decode", \.decode), ("reduce", \.reduce), ("encode", \.encode),
            ("hash", \.hash), ("write", \.write),
        ]

    package static func += (sum: inout StageTimes, more: StageTimes) {
        for (_, path) in stages { sum[keyPath: path] += more[keyPath: path] }
    }
}
