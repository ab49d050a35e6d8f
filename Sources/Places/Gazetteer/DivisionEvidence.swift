/// What the places inside a polygon say about the division that it belongs to.
struct DivisionEvidence {
    enum Verdict: Equatable {
        case division(UInt16)
        /// The polygon mixes divisions.
        case mixed
        /// Nothing says whose polygon it is.
        case unknown
    }

    /// For each division, the places inside.
    var votes: [UInt16: Int] = [:]
    /// For each country, the places inside whose nearest other place of that country has the same division.
    var alike: [UInt16: Int] = [:]

    /// The country of most of the places inside.
    func country(_ admin1s: [BuildState.Admin1Draft]) -> UInt16? {
        var counts: [UInt16: Int] = [:]
        for (division, count) in votes { counts[admin1s[Int(division)].country, default: 0] += count }
        return Self.most(counts)
    }

    /// - Parameter claim: the division that the polygon's own code or name says.
    func verdict(_ claim: UInt16?, of country: UInt16, _ admin1s: [BuildState.Admin1Draft]) -> Verdict {
        let own = votes.filter { admin1s[Int($0.key)].country == country }
        guard !own.isEmpty else { return claim.map { .division($0) } ?? .unknown }
        let best = claim.flatMap { own[$0] == nil ? nil : $0 } ?? Self.most(own)
        guard let best, own[best] ?? 0 >= alike[country] ?? 0 else { return .mixed }
        return .division(best)
    }

    /// The key with the highest count; on a tie the lowest.
    static func most(_ counts: [UInt16: Int]) -> UInt16? {
        counts.max { $0.value != $1.value ? $0.value < $1.value : $0.key > $1.key }?.key
    }
}

extension BuildState {
    /// The evidence on each polygon.
    func divisionEvidence(_ path: String) throws(GazetteerError) -> [DivisionEvidence] {
        var evidence = [DivisionEvidence](repeating: DivisionEvidence(), count: divisions.count)
        var draft = BorderDraft(firstDivision: 0)
        for (index, division) in divisions.enumerated() {
            for ring in division.rings { draft.add(ring: ring, region: UInt16(index)) }
        }
        let isAlike = placesLikeTheirNeighbours()
        try draft.layOut(path).withMap(path) { map in
            for (index, place) in places.enumerated()
            where place.admin1 != IndexFormat.none16 && !place.isSection {
                _ = map.spot(of: place.coordinate).division { polygon in
                    evidence[Int(polygon)].votes[place.admin1, default: 0] += 1
                    if isAlike[index] { evidence[Int(polygon)].alike[place.country, default: 0] += 1 }
                    return false
                }
            }
        }
        return evidence
    }

    /// For each place, whether the nearest other place of its country has the same division.
    private func placesLikeTheirNeighbours() -> [Bool] {
        var isAlike = [Bool](repeating: false, count: places.count)
        var members = [[Int]](repeating: [], count: countries.count)
        for (index, place) in places.enumerated() where !place.isSection && place.admin1 != IndexFormat.none16
        {
            members[Int(place.country)].append(index)
        }
        for country in members {
            let sorted = country.sorted { (places[$0].latitude, $0) < (places[$1].latitude, $1) }
            for position in sorted.indices {
                guard let neighbour = nearestOther(to: position, in: sorted) else { continue }
                isAlike[sorted[position]] = places[neighbour].admin1 == places[sorted[position]].admin1
            }
        }
        return isAlike
    }

    /// The nearest other place of a list that is sorted by latitude.
    private func nearestOther(to position: Int, in sorted: [Int]) -> Int? {
        let here = places[sorted[position]].coordinate
        var best: (place: Int, metres: Double)?
        func isBeyond(_ place: Int) -> Bool {
            // A degree of latitude is 111.2 km.
            abs(places[place].coordinate.latitude - here.latitude) * 111_000 > best?.metres ?? .infinity
        }
        func weigh(_ place: Int) {
            let metres = places[place].coordinate.distance(to: here)
            if metres < best?.metres ?? .infinity { best = (place, metres) }
        }
        var (below, above) = (position - 1, position + 1)
        var goesOn = true
        while goesOn {
            goesOn = false
            if below >= 0, !isBeyond(sorted[below]) {
                weigh(sorted[below])
                below -= 1
                goesOn = true
            }
            if above < sorted.count, !isBeyond(sorted[above]) {
                weigh(sorted[above])
                above += 1
                goesOn = true
            }
        }
        return best?.place
    }
}

extension SectionBytes {
    /// Calls `body` with these bytes as a map of borders.
    func withMap<T>(_ path: String, _ body: (BorderMap) throws(GazetteerError) -> T) throws(GazetteerError)
        -> T
    {
        let result: Result<T, GazetteerError> = bytes.withUnsafeBytes { bytes in
            do throws(GazetteerError) {
                return .success(try body(try BorderMap(ByteSection(bytes), file: path)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
