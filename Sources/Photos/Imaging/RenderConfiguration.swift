package import FoundationEssentials

/// The recipe for photos and the limits on rendering them: from a JSON file, or the defaults of this release.
///
/// ```json
/// {
///   "recipe": {
///     "name": "feed", "version": 2,
///     "renditions": [
///       {"name": "large", "fit": 1920, "format": "webp", "quality": 80},
///       {"name": "square", "square": 320, "crop": "attention"}
///     ]
///   },
///   "limits": {"megapixels": 50, "cpu_seconds": 10},
///   "accept_truncated": false,
///   "keep_camera": false,
///   "keep_direction": false
/// }
/// ```
///
/// Anything left out has its default. An unknown name is an error; otherwise a misspelt limit would seem to be
/// in force.
package struct RenderConfiguration: Sendable, Hashable {
    package var recipe = Recipe.standard
    package var limits = RenderLimits()
    /// Whether a post names the camera that took the photo.
    package var keepsCamera = false
    /// Whether a post at an exact position says where the camera pointed, and its altitude.
    package var keepsDirection = false

    package init() {}

    /// Why a configuration cannot be used: the place in the file, what is wrong there, and what would be right.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        package let place: String
        package let message: String

        package var description: String { place.isEmpty ? message : "\(place): \(message)" }
    }

    /// - Throws: ``Failure``.
    package init(json: Data) throws {
        let raw: Raw
        do {
            raw = try JSONDecoder().decode(Raw.self, from: json)
        } catch let failure as Failure {
            throw failure
        } catch let error as DecodingError {
            throw Failure(error)
        }
        if let recipe = raw.recipe { self.recipe = recipe }
        limits.acceptsTruncated = raw.acceptsTruncated
        keepsCamera = raw.keepsCamera
        keepsDirection = raw.keepsDirection
        for (name, value) in raw.limits {
            let limit = RenderLimits.adjustable[name]!
            guard limit.range.contains(value) else {
                throw Failure(
                    place: "limits.\(name)",
                    message: "\(value.plain) is not between \(limit.range.lowerBound.plain) and "
                        + limit.range.upperBound.plain)
            }
            limit.set(&limits, value)
        }
        try Self.check(recipe)
    }

    private static func check(_ recipe: Recipe) throws(Failure) {
        guard !recipe.name.isEmpty, recipe.name.count <= 50, recipe.version >= 1 else {
            throw Failure(
                place: "recipe", message: "it needs a name of 1 to 50 characters and a version of at least 1")
        }
        guard 1...8 ~= recipe.renditions.count else {
            throw Failure(place: "recipe.renditions", message: "there must be 1 to 8 renditions")
        }
        var names: Set<String> = []
        for (index, rendition) in recipe.renditions.enumerated() {
            let place = "recipe.renditions[\(index)]"
            let letters = rendition.name.utf8
            guard 1...30 ~= letters.count,
                letters.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f })
            else {
                throw Failure(
                    place: "\(place).name", message: "must be 1 to 30 characters: a to z, 0 to 9 and _")
            }
            guard names.insert(rendition.name).inserted else {
                throw Failure(place: "\(place).name", message: "two renditions are named \(rendition.name)")
            }
            let side =
                switch rendition.shape {
                case .fit(let side), .square(let side, _): side
                }
            guard 16...8192 ~= side else {
                throw Failure(place: place, message: "its side must be between 16 and 8192 pixels")
            }
            try check(rendition.encoding, at: place)
        }
    }

    private static func check(_ encoding: RenditionEncoding, at place: String) throws(Failure) {
        guard 1...100 ~= encoding.quality else {
            throw Failure(place: "\(place).quality", message: "must be between 1 and 100")
        }
        let most = encoding.format.traits.highestEffort
        guard 0...most ~= encoding.effort else {
            throw Failure(place: "\(place).effort", message: "must be between 0 and \(most)")
        }
    }
}

extension RenderLimits {
    /// One limit as the configuration file names it.
    struct Adjustable: Sendable {
        let range: ClosedRange<Double>
        let set: @Sendable (inout RenderLimits, Double) -> Void
    }

    /// By name. The name tells the unit.
    static let adjustable: [String: Adjustable] = [
        "megabytes": Adjustable(range: 0.001...1024) { $0.bytes = Int($1 * 1_048_576) },
        "megapixels": Adjustable(range: 0.01...500) { $0.pixels = Int($1 * 1_000_000) },
        "side": Adjustable(range: 16...65_500) { $0.side = Int($1) },
        "aspect_ratio": Adjustable(range: 1...10_000) { $0.aspectRatio = Int($1) },
        "frames": Adjustable(range: 1...100_000) { $0.frames = Int($1) },
        "frame_megapixels": Adjustable(range: 0.01...100_000) { $0.framePixels = Int($1 * 1_000_000) },
        "scans": Adjustable(range: 1...1000) { $0.scans = Int($1) },
        "profile_kilobytes": Adjustable(range: 1...65_536) { $0.profileBytes = Int($1 * 1024) },
        "metadata_kilobytes": Adjustable(range: 1...65_536) { $0.metadataBytes = Int($1 * 1024) },
        "decoding_megabytes": Adjustable(range: 16...65_536) { $0.decodingBytes = Int($1 * 1_048_576) },
        "address_space_megabytes": Adjustable(range: 256...65_536) {
            $0.addressSpaceBytes = Int($1 * 1_048_576)
        },
        "idle_seconds": Adjustable(range: 0.1...3600) { $0.idleSeconds = $1 },
        "wall_clock_seconds": Adjustable(range: 0.1...290) { $0.wallClockSeconds = $1 },
        "cpu_seconds": Adjustable(range: 1...3600) { $0.cpuSeconds = Int($1) },
        "output_megabytes": Adjustable(range: 0.1...256) { $0.outputBytes = Int($1 * 1_048_576) },
    ]
}

// MARK: - Reading

private struct Raw: Decodable {
    var recipe: Recipe?
    var limits: [String: Double] = [:]
    var acceptsTruncated: Bool
    var keepsCamera: Bool
    var keepsDirection: Bool

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(
            knowing: ["recipe", "limits", "accept_truncated", "keep_camera", "keep_direction"])
        acceptsTruncated = try container.decodeIfPresent(Bool.self, forKey: "accept_truncated") ?? false
        keepsCamera = try container.decodeIfPresent(Bool.self, forKey: "keep_camera") ?? false
        keepsDirection = try container.decodeIfPresent(Bool.self, forKey: "keep_direction") ?? false
        recipe = try container.decodeIfPresent(RawRecipe.self, forKey: "recipe")?.recipe
        guard container.contains("limits") else { return }
        let given = try container.superDecoder(forKey: "limits").container(
            knowing: Set(RenderLimits.adjustable.keys))
        for key in given.allKeys { limits[key.stringValue] = try given.decode(Double.self, forKey: key) }
    }
}

private struct RawRecipe: Decodable {
    let recipe: Recipe

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(knowing: ["name", "version", "keep_credit", "renditions"])
        recipe = Recipe(
            name: try container.decode(String.self, forKey: "name"),
            version: try container.decode(Int.self, forKey: "version"),
            renditions: try container.decode([RawRendition].self, forKey: "renditions").map(\.rendition),
            keepsCredit: try container.decodeIfPresent(Bool.self, forKey: "keep_credit") ?? false)
    }
}

private struct RawRendition: Decodable {
    let rendition: RenditionSpec

    init(from decoder: any Decoder) throws {
        let formatKey: Key = "format"
        let loose = try decoder.container(keyedBy: Key.self)
        let format = try loose.decodeWord(RenditionEncoding.Format.self, forKey: formatKey) ?? .jpeg
        let container = try decoder.container(
            knowing: Set(format.traits.settings.map(\.rawValue)).union([
                "name", "fit", "square", "crop", "format", "fidelity",
            ]))
        let fit = try container.decodeIfPresent(Int.self, forKey: "fit")
        let square = try container.decodeIfPresent(Int.self, forKey: "square")
        let crop = try container.decodeWord(RenditionSpec.Crop.self, forKey: "crop")
        let shape: RenditionSpec.Shape
        switch (fit, square, crop) {
        case (let side?, nil, nil): shape = .fit(longSide: side)
        case (nil, let side?, _): shape = .square(side: side, crop: crop ?? .centre)
        case (.some, nil, .some):
            throw RenderConfiguration.Failure(
                place: decoder.codingPath.place, message: "\"crop\" needs \"square\", not \"fit\"")
        default:
            throw RenderConfiguration.Failure(
                place: decoder.codingPath.place,
                message: "it needs either \"fit\" (the longer side) or \"square\" (the side), in pixels")
        }
        rendition = RenditionSpec(
            name: try container.decode(String.self, forKey: "name"), shape: shape,
            encoding: try Self.encoding(format, container),
            fidelity: try container.decodeWord(RenditionSpec.Fidelity.self, forKey: "fidelity") ?? .quick)
    }

    private static func encoding(
        _ format: RenditionEncoding.Format, _ container: KeyedDecodingContainer<Key>
    ) throws -> RenditionEncoding {
        func value<Value: Decodable>(_ setting: RenditionEncoding.Setting) throws -> Value? {
            try container.decodeIfPresent(Value.self, forKey: Key(stringValue: setting.rawValue))
        }
        let animated = Key(stringValue: RenditionEncoding.Setting.animated.rawValue)
        return RenditionEncoding(
            format, quality: try value(.quality), effort: try value(.effort),
            isProgressive: try value(.progressive) ?? false,
            keepsFrames: try container.decodeWord(Frames.self, forKey: animated) == .keep)
    }

    private enum Frames: String, CaseIterable { case first, keep }
}

extension KeyedDecodingContainer<Key> {
    /// Decodes one of the words of `type`. The error lists all of them.
    fileprivate func decodeWord<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type, forKey key: Key
    ) throws -> Word? where Word.RawValue == String {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        if let word = Word(rawValue: text) { return word }
        throw RenderConfiguration.Failure(
            place: (codingPath + [key]).place,
            message: "\"\(text)\" is unknown; use one of "
                + Word.allCases.map(\.rawValue).joined(separator: ", "))
    }
}

private struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    init(stringLiteral value: String) { stringValue = value }
}

extension Decoder {
    fileprivate func container(knowing names: Set<String>) throws -> KeyedDecodingContainer<Key> {
        let container = try container(keyedBy: Key.self)
        for key in container.allKeys where !names.contains(key.stringValue) {
            throw RenderConfiguration.Failure(
                place: codingPath.place,
                message:
                    "\"\(key.stringValue)\" is unknown; use one of \(names.sorted().joined(separator: ", "))"
            )
        }
        return container
    }
}

extension [any CodingKey] {
    fileprivate var place: String {
        reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += (place.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}

extension Double {
    /// Whole numbers are written without a fraction.
    fileprivate var plain: String { self == rounded() ? String(Int(self)) : String(self) }
}

extension RenderConfiguration.Failure {
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(place: context.codingPath.place, message: "\"\(key.stringValue)\" is missing")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self.init(place: context.codingPath.place, message: "it must be of type \(type)")
        case .dataCorrupted(let context):
            self.init(place: context.codingPath.place, message: "it is not valid JSON")
        @unknown default:
            self.init(place: "", message: "\(error)")
        }
    }
}
