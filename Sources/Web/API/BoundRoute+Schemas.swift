/// What its replies are, as components of the document.
extension BoundRoute {
    /// `FeedPost` for `darkroom.feed_post`.
    var rowName: String {
        (function.value == "record" ? function.name : function.value).split(separator: "_")
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
    var listName: String { rowName + (isPaged ? "Page" : "List") }
    var featureName: String { rowName + "Feature" }
    var collectionName: String { featureName + "Collection" }

    var isList: Bool { if case .list = route.reply { true } else { false } }

    var schemas: [(name: String, schema: Schema)] {
        guard !function.columns.isEmpty else { return [] }
        let next: Schema.Member = ("next", .nullable(.string()), "The value of after for the next page")
        let items: Schema.Member = ("items", .array(.named(rowName)), nil)
        var schemas = [(rowName, Schema(columns: function.columns))]
        if isList { schemas.append((listName, .allRequired(isPaged ? [items, next] : [items]))) }
        guard route.hasPositions else { return schemas }
        schemas.append(
            (
                featureName,
                .allRequired([
                    ("type", .choice(["Feature"]), nil), ("geometry", .nullable(.named("Point")), nil),
                    ("properties", .named(rowName), nil),
                ])
            ))
        guard isList else { return schemas }
        let collection: [Schema.Member] = [
            ("type", .choice(["FeatureCollection"]), nil), ("features", .array(.named(featureName)), nil),
        ]
        schemas.append((collectionName, .object(collection + [next], required: collection.map(\.name))))
        return schemas
    }
}
