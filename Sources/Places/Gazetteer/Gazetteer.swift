import Glibc
import Synchronization

/// Names places by coordinate and finds them by text, offline, from one index file.
///
/// All methods may be called from any thread at once. To replace an index, build to the same path: open readers keep the
/// old one.
package final class Gazetteer: Sendable {
    let file: MappedFile
    let sections: [IndexFormat.Kind: ByteSection]
    let header: IndexHeader

    let strings: ByteSection
    let countries: ByteSection
    let admin1s: ByteSection
    let timeZones: ByteSection
    let places: ByteSection
    let placeRegions: ByteSection
    let tree: PlaceTree
    let names: NameTrie
    package let borders: BorderMap?
    let contestedCells: ContestedCells
    let seaBorders: BorderMap?
    /// By a country's number: see `Territories`.
    let states: [UInt16]
    /// The same map as `borders`, or one without countries.
    let zones: BorderMap?
    /// Computed when the first text asks for one: see `RegionExtent`.
    let regionExtents = Mutex<[ForwardTarget: RegionExtent]?>(nil)
    /// Computed likewise: the numbers of places that others are part of.
    let citiesWithParts = Mutex<Set<UInt32>?>(nil)

    /// Maps an index after checking its header, its section table and the extent of every section.
    ///
    /// Pages are loaded as look-ups touch them. The sections' own checksums are left to `verify()`, which reads the whole
    /// file. For a program that ends soon: one that shortens the file in place kills it.
    /// - Throws: `GazetteerError` with code `io`, `notAnIndex`, `unsupportedVersion`, `truncated` or
    ///   `corrupt`.
    package convenience init(path: String) throws(GazetteerError) {
        try self.init(MappedFile(path: path, advice: MADV_RANDOM))
    }

    /// Reads an index into memory and compares all checksums. Whatever happens to the file then does not matter.
    ///
    /// - Throws: `GazetteerError` as `init(path:)` and `verify()` do.
    package convenience init(copying path: String) throws(GazetteerError) {
        // Any file may have been put there by mistake, and larger than the memory.
        try IndexHeader.requireMagic(try MappedFile.prefix(of: path, count: IndexFormat.magic.count), path)
        try self.init(MappedFile(copying: path))
        try verify()
        // So that no text waits for it.
        _ = extent(of: .country(0))
    }

    private init(_ file: MappedFile) throws(GazetteerError) {
        let path = file.path
        let header = try IndexHeader(reading: file)
        self.file = file
        self.header = header
        var sections: [IndexFormat.Kind: ByteSection] = [:]
        for entry in header.entries {
            guard let kind = IndexFormat.Kind(rawValue: entry.kind) else { continue }
            guard entry.recordSize == kind.recordSize, entry.length % kind.recordSize == 0 else {
                throw GazetteerError(
                    .corrupt, file: path, message: "section \(kind) is damaged; rebuild the index")
            }
            sections[kind] = ByteSection(
                UnsafeRawBufferPointer(rebasing: file.bytes[entry.offset..<entry.offset + entry.length]))
        }
        for kind in IndexFormat.Kind.allCases where kind.isRequired && sections[kind] == nil {
            throw GazetteerError(
                .corrupt, file: path, message: "section \(kind) is missing; rebuild the index")
        }
        self.sections = sections
        strings = sections[.strings] ?? .empty
        countries = sections[.countries] ?? .empty
        admin1s = sections[.admin1] ?? .empty
        timeZones = sections[.timeZones] ?? .empty
        places = sections[.places] ?? .empty
        placeRegions = sections[.placeRegions] ?? .empty
        tree = PlaceTree(
            points: sections[.treePoints] ?? .empty, nodes: sections[.treeNodes] ?? .empty,
            records: sections[.trees] ?? .empty, references: sections[.treeReferences] ?? .empty,
            places: places)
        names = NameTrie(section: sections[.names] ?? .empty)
        guard
            header.treePlaceCount <= places.count / PlaceRecord.size
        else {
            throw GazetteerError(
                .corrupt, file: path, message: "the counts of places do not match; rebuild the index")
        }
        states = Self.states(
            of: (0..<countries.count / CountryRecord.size).map { [countries] number in
                countries.text(at: number * CountryRecord.size + CountryRecord.code, count: 2)
            })
        contestedCells = ContestedCells(section: sections[.contestedCells] ?? .empty)
        seaBorders = try sections[.seaBorders].map { section throws(GazetteerError) in
            try BorderMap(section, file: path)
        }
        let regions = try sections[.borders].map { section throws(GazetteerError) in
            try BorderMap(section, file: path)
        }
        borders = regions.flatMap { $0.hasAreas ? $0 : nil }
        zones = regions.flatMap { $0.hasZones ? $0 : nil }
    }

    /// Reads the whole file and compares every section with its checksum.
    ///
    /// About 1 GB/s. Padding between sections must be zero, so no byte of the file is unchecked.
    /// - Throws: `GazetteerError` with code `corrupt`, naming the section.
    package func verify() throws(GazetteerError) {
        var end = header.tableEnd
        for entry in header.entries.sorted(by: { $0.offset < $1.offset }) {
            let section = UnsafeRawBufferPointer(
                rebasing: file.bytes[entry.offset..<entry.offset + entry.length])
            guard CRC64.of(section) == entry.checksum else {
                let name = IndexFormat.Kind(rawValue: entry.kind).map { "\($0)" } ?? "\(entry.kind)"
                throw GazetteerError(
                    .corrupt, file: file.path,
                    message: "section \(name) does not match its checksum; rebuild or copy the index again")
            }
            try requireZeros(from: end, to: entry.offset)
            end = entry.offset + entry.length
        }
        try requireZeros(from: end, to: file.bytes.count)
    }

    private func requireZeros(from start: Int, to end: Int) throws(GazetteerError) {
        guard start <= end, file.bytes[start..<end].allSatisfy({ $0 == 0 }) else {
            throw GazetteerError(
                .corrupt, file: file.path, message: "bytes between sections are damaged; rebuild the index")
        }
    }

    /// What the index holds and whom to attribute it to.
    package var info: GazetteerInfo {
        let sourceSection = sections[.sources] ?? .empty
        let sources = (0..<sourceSection.count / SourceRecord.size).map { index in
            let offset = index * SourceRecord.size
            let texts = (0..<6).map { text(sourceSection, at: offset + SourceRecord.texts + $0 * 8) }
            return GazetteerInfo.Source(
                file: texts[0], title: texts[1], url: texts[2], date: texts[3], licence: texts[4],
                attribution: texts[5],
                byteCount: Int(
                    truncatingIfNeeded: sourceSection.integer(
                        at: offset + SourceRecord.byteCount, as: UInt64.self)),
                checksum: sourceSection.integer(at: offset + SourceRecord.checksum))
        }
        return GazetteerInfo(
            formatVersion: Int(IndexFormat.version), fileSize: file.bytes.count,
            placeCount: header.treePlaceCount,
            sectionCount: places.count / PlaceRecord.size - header.treePlaceCount,
            countryCount: countries.count / CountryRecord.size,
            admin1Count: admin1s.count / Admin1Record.size,
            nameCount: names.claimCount,
            hasCountryBorders: borders != nil,
            hasSeas: seaBorders != nil, hasZoneBorders: zones != nil,
            hasDivisionBorders: (0..<countries.count / CountryRecord.size).contains {
                hasFlag(CountryRecord.Flag.hasDivisionBorders, country: UInt16($0))
            },
            sources: sources)
    }
}
