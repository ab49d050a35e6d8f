extension Gazetteer {
    /// A point at sea farther than this from every coast gets no coast: 200 km.
    package static let coastCapMetres = 200_000.0

    /// The IANA name of the time zone whose polygon holds a point.
    func timeZone(at coordinate: Coordinate) -> String? {
        zones?.spot(of: coordinate).zone.map { text(timeZones, at: Int($0) * 8) }
    }

    func commonTimeZone(ofAdmin1 index: UInt16) -> String? {
        timeZone(admin1s.integer(at: Int(index) * Admin1Record.size + Admin1Record.timeZone))
    }

    func commonTimeZone(ofCountry index: UInt16) -> String? {
        timeZone(countries.integer(at: Int(index) * CountryRecord.size + CountryRecord.timeZone))
    }

    private func timeZone(_ number: UInt16) -> String? {
        number == IndexFormat.none16 ? nil : text(timeZones, at: Int(number) * 8)
    }

    /// The sea at a point outside every border polygon.
    ///
    /// The nearest coast is found on the plane that touches the sphere; the distance to it is then measured on
    /// the sphere.
    func sea(at coordinate: Coordinate) -> Sea? {
        guard let borders, borders.spot(of: coordinate).area == nil else { return nil }
        let name = seaBorders?.spot(of: coordinate).area.map {
            text(sections[.seaNames] ?? .empty, at: Int($0) * 8)
        }
        // Divisions end at the coast, countries may end with their waters.
        let isLand = { (region: UInt16) in
            borders.division(ofRegion: region) != nil || self.endsAtCoast(region)
        }
        let search = borders.search(coordinate, within: Self.coastCapMetres, where: isLand)
        let land = search.region.map { region in
            borders.division(ofRegion: region).map { country(ofDivision: $0) } ?? region
        }
        let coast = land.flatMap { country($0) }.map { country in
            let longitude = coordinate.longitude + search.east / IndexFormat.degreeScale
            let point = Coordinate(
                clamping: coordinate.latitude + search.north / IndexFormat.degreeScale,
                longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude)
            return Sea.Coast(country: country, metres: coordinate.distance(to: point))
        }
        return Sea(name: name, coast: coast)
    }
}
