/// The land of each country as polygons, for drawing maps.
package struct LandOutline: Sendable {
    /// What an odd number of the rings encloses. A ring alternates longitudes and latitudes, in `IndexFormat.degreeScale`.
    package struct Country: Sendable {
        package let index: UInt16
        package let rings: [[Int32]]
    }

    package let countries: [Country]

    /// Every country that has a border. Takes about a second for the whole world: not for Swift's pool.
    package init(of gazetteer: Gazetteer) {
        guard let borders = gazetteer.borders else {
            countries = []
            return
        }
        countries = borders.edgesOfLand { gazetteer.landCountry(ofRegion: $0, borders) }
            .map { Country(index: $0.key, rings: Self.rings(of: $0.value)) }
            .sorted { $0.index < $1.index }
    }

    private init(countries: [Country]) { self.countries = countries }

    /// With no more points than a tolerance needs. Neighbours still share their borders; small islands disappear.
    package func simplified(toleranceMetres: Double) -> LandOutline {
        let simplifier = BorderSimplifier(
            countries.flatMap(\.rings), toleranceMetres: toleranceMetres)
        return LandOutline(
            countries: countries.map { country in
                Country(
                    index: country.index,
                    rings: country.rings.map { simplifier.simplified($0) }.filter { !$0.isEmpty })
            })
    }

    // MARK: From edges to rings

    /// Two points of a border in this order.
    struct Step: Hashable, Comparable {
        let from: UInt64
        let to: UInt64

        static func < (left: Step, right: Step) -> Bool {
            left.from != right.from ? left.from < right.from : left.to < right.to
        }

        var reversed: Step { Step(from: to, to: from) }
    }

    /// Walks along the edges until each was used. At every point an even number of them meet, so every walk comes back.
    private static func rings(of edges: Set<Step>) -> [[Int32]] {
        let steps = (Array(edges) + edges.map(\.reversed)).sorted()
        var isUsed = [Bool](repeating: false, count: steps.count)
        /// The first step that does not come before this one.
        func place(of step: Step) -> Int {
            var (low, high) = (0, steps.count)
            while low < high {
                let middle = (low + high) / 2
                if steps[middle] < step { low = middle + 1 } else { high = middle }
            }
            return low
        }
        var rings: [[Int32]] = []
        for start in steps.indices where !isUsed[start] {
            var ring: [Int32] = []
            var next: Int? = start
            while let index = next {
                isUsed[index] = true
                isUsed[place(of: steps[index].reversed)] = true
                ring += [BorderMap.longitude(steps[index].from), BorderMap.latitude(steps[index].from)]
                var following = place(of: Step(from: steps[index].to, to: 0))
                while following < steps.count, steps[following].from == steps[index].to, isUsed[following] {
                    following += 1
                }
                let isThere = following < steps.count && steps[following].from == steps[index].to
                next = isThere && steps[index].to != steps[start].from ? following : nil
            }
            if ring.count >= 6 { rings.append(ring) }
        }
        return rings
    }
}

extension Gazetteer {
    /// The country whose land ends with a region: a country may end with its waters, and then its divisions end at the coast.
    fileprivate func landCountry(ofRegion region: UInt16, _ borders: BorderMap) -> UInt16? {
        guard let division = borders.division(ofRegion: region) else {
            return endsAtCoast(region) ? region : nil
        }
        let country = country(ofDivision: division)
        return endsAtCoast(country) ? nil : country
    }
}

extension BorderMap {
    static func longitude(_ point: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: Int64(bitPattern: point) >> 32)
    }
    static func latitude(_ point: UInt64) -> Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: point)) }

    /// The edges of each country's land, each once.
    ///
    /// - Parameter country: of a region, if the region is land.
    fileprivate func edgesOfLand(_ country: (UInt16) -> UInt16?) -> [UInt16: Set<LandOutline.Step>] {
        var edges: [UInt16: Set<LandOutline.Step>] = [:]
        forEachChain { regions, points in
            // Between two divisions of a country there is no end of its land.
            var owners: Set<UInt16> = []
            for region in regions {
                if let owner = country(region) { owners.formSymmetricDifference([owner]) }
            }
            guard !owners.isEmpty else { return }
            let points = points.map { point in
                UInt64(UInt32(bitPattern: Int32(point.x))) << 32 | UInt64(UInt32(bitPattern: Int32(point.y)))
            }
            for (start, end) in zip(points, points.dropFirst()) where start != end {
                let step = LandOutline.Step(from: min(start, end), to: max(start, end))
                for owner in owners { edges[owner, default: []].insert(step) }
            }
        }
        return edges
    }
}
