extension BuildState {
    struct TreeSections {
        var trees = SectionBytes()
        var nodes = SectionBytes()
        var points = SectionBytes()
        var references = SectionBytes()
    }

    /// Builds the trees. Places get the order of the trees that first name them, followed by sections of places
    /// sorted by geonameid.
    mutating func orderPlaces(_ plan: TreePlan, hasBorders: Bool) -> TreeSections {
        var (trees, isIndirect) = treeMembers(plan, hasBorders)
        var numbers = [Int](repeating: -1, count: places.count)
        var ordered: [PlaceDraft] = []
        var planes: [(depth: Int, nodes: [Int32])] = []
        for index in trees.indices {
            planes.append(TreeOrder.arrange(&trees[index]))
            guard !isIndirect[index] else { continue }
            for point in trees[index] {
                numbers[point.draft] = ordered.count
                ordered.append(places[point.draft])
            }
        }
        var sections = TreeSections()
        var firstPlace = 0
        for (index, tree) in trees.enumerated() {
            // A place that always overrules a polygon is in no other tree.
            for point in tree where numbers[point.draft] < 0 {
                numbers[point.draft] = ordered.count
                ordered.append(places[point.draft])
            }
            let first =
                isIndirect[index]
                ? UInt32(sections.references.bytes.count / 4) | PlaceTree.Record.isIndirect
                : UInt32(firstPlace)
            if isIndirect[index] {
                for point in tree { sections.references.append(UInt32(numbers[point.draft])) }
            } else {
                firstPlace += tree.count
            }
            append(tree, planes[index], first, to: &sections)
        }
        // Padding: the search reads 4-byte numbers, which could otherwise pass the end at the last point.
        sections.points.pad(2)
        summary.places = ordered.count
        let rest = places.filter(\.isSection).sorted { $0.geonameid < $1.geonameid }
        summary.sections = rest.count
        places = ordered + rest
        return sections
    }

    private func append(
        _ tree: [TreeOrder.Point], _ planes: (depth: Int, nodes: [Int32]), _ firstPlace: UInt32,
        to sections: inout TreeSections
    ) {
        sections.trees.append(UInt32(sections.points.bytes.count / 2))
        sections.trees.append(UInt32(tree.count) | UInt32(planes.depth) << PlaceTree.Record.depthShift)
        sections.trees.append(UInt32(sections.nodes.bytes.count / 4))
        sections.trees.append(firstPlace)
        let box = TreeOrder.box(tree[...])
        for value in [box.low.x, box.low.y, box.low.z] {
            sections.trees.append(Int16(value >> PlaceTree.boxShift))
        }
        for value in [box.high.x, box.high.y, box.high.z] {
            sections.trees.append(Int16(-(-value >> PlaceTree.boxShift)))
        }
        for plane in planes.nodes { sections.nodes.append(plane) }
        for leaf in 0..<1 << planes.depth {
            let low = (tree.count * leaf) >> planes.depth
            let high = (tree.count * (leaf + 1)) >> planes.depth
            let packed = TreeOrder.pack(tree[low..<high])
            sections.points.append(packed.corner.x)
            sections.points.append(packed.corner.y)
            sections.points.append(packed.corner.z)
            sections.points.append(UInt32(packed.shift))
            for value in packed.values { sections.points.append(value) }
        }
    }

    /// The members of every tree, and which trees hold places of other trees.
    private func treeMembers(_ plan: TreePlan, _ hasBorders: Bool) -> ([[TreeOrder.Point]], [Bool]) {
        var trees = [[TreeOrder.Point]](repeating: [], count: plan.count)
        var isIndirect = [Bool](repeating: false, count: plan.count)
        isIndirect[TreePlan.uncovered] = true
        for country in countries.indices {
            for nearby in [false, true] {
                isIndirect[plan.overruling(polygon: UInt16(country), nearby: nearby)] = true
            }
            isIndirect[plan.strays(country: UInt16(country))] = true
        }
        for (index, place) in places.enumerated() where !place.isSection {
            let point = TreeOrder.Point(place.coordinate, geonameid: place.geonameid, draft: index)
            guard hasBorders else {
                trees[TreePlan.allPlaces].append(point)
                continue
            }
            if place.polygonRule != .overrules {
                trees[plan.own(country: place.country, admin1: place.admin1)].append(point)
            }
            if place.polygon == IndexFormat.none16 {
                trees[TreePlan.uncovered].append(point)
            } else if place.polygonRule == .strays {
                trees[plan.strays(country: place.country)].append(point)
            } else if place.polygonRule != .agrees {
                let nearby = place.polygonRule == .overrulesNearby
                trees[plan.overruling(polygon: place.polygon, nearby: nearby)].append(point)
            }
        }
        return (trees, isIndirect)
    }
}
