/// The header and section table of an index, checked.
struct IndexHeader {
    struct Entry {
        var kind: UInt32
        var recordSize: Int
        var offset: Int
        var length: Int
        var checksum: UInt64
    }

    let entries: [Entry]
    let treePlaceCount: Int
    var tableEnd: Int { IndexFormat.headerSize + entries.count * IndexFormat.entrySize }

    init(reading file: MappedFile) throws(GazetteerError) {
        typealias Field = IndexFormat.Header
        let path = file.path
        let bytes = ByteSection(file.bytes)
        try Self.requireMagic(bytes.bytes(at: 0, count: IndexFormat.magic.count), path)
        guard bytes.count >= IndexFormat.headerSize else {
            throw GazetteerError(.truncated, file: path, message: "ends within its header; copy it again")
        }
        let version: UInt32 = bytes.integer(at: Field.version)
        let folding: UInt32 = bytes.integer(at: Field.foldingVersion)
        guard version == IndexFormat.version, folding == NameFolding.version else {
            throw GazetteerError(
                .unsupportedVersion, file: path,
                message: "has format \(version).\(folding), this program reads "
                    + "\(IndexFormat.version).\(NameFolding.version); rebuild the index")
        }
        let count = Int(bytes.integer(at: Field.sectionCount, as: UInt32.self))
        guard bytes.integer(at: Field.headerSize, as: UInt32.self) == UInt32(IndexFormat.headerSize),
            bytes.integer(at: Field.entrySize, as: UInt32.self) == UInt32(IndexFormat.entrySize),
            count <= IndexFormat.maximumSections
        else {
            throw GazetteerError(.corrupt, file: path, message: "its header is damaged; rebuild the index")
        }
        let size: UInt64 = bytes.integer(at: Field.fileSize)
        let tableEnd = IndexFormat.headerSize + count * IndexFormat.entrySize
        guard UInt64(bytes.count) >= size, bytes.count >= tableEnd else {
            throw GazetteerError(
                .truncated, file: path, message: "has \(bytes.count) of \(size) bytes; copy or build it again"
            )
        }
        guard UInt64(bytes.count) == size else {
            throw GazetteerError(
                .corrupt, file: path,
                message: "has \(bytes.count) bytes instead of \(size); build it again")
        }
        guard Self.checksum(file.bytes, tableEnd: tableEnd) == bytes.integer(at: Field.checksum) else {
            throw GazetteerError(
                .corrupt, file: path, message: "its header does not match its checksum; rebuild the index")
        }
        treePlaceCount = Int(bytes.integer(at: Field.treePlaceCount, as: UInt32.self))
        var entries: [Entry] = []
        for index in 0..<count {
            let start = IndexFormat.headerSize + index * IndexFormat.entrySize
            let offset: UInt64 = bytes.integer(at: start + IndexFormat.Entry.offset)
            let length: UInt64 = bytes.integer(at: start + IndexFormat.Entry.length)
            guard offset >= UInt64(tableEnd), offset <= size, length <= size - offset else {
                throw GazetteerError(
                    .corrupt, file: path,
                    message: "section \(index) lies outside the file; rebuild the index")
            }
            entries.append(
                Entry(
                    kind: bytes.integer(at: start + IndexFormat.Entry.kind),
                    recordSize: Int(bytes.integer(at: start + IndexFormat.Entry.recordSize, as: UInt32.self)),
                    offset: Int(offset), length: Int(length),
                    checksum: bytes.integer(at: start + IndexFormat.Entry.checksum)))
        }
        self.entries = entries
    }

    static func requireMagic(_ start: some Sequence<UInt8>, _ path: String) throws(GazetteerError) {
        guard start.elementsEqual(IndexFormat.magic) else {
            throw GazetteerError(
                .notAnIndex, file: path, message: "is not a gazetteer index; build one first")
        }
    }

    /// CRC-64 of the header up to its checksum field, and of the section table.
    static func checksum(_ bytes: UnsafeRawBufferPointer, tableEnd: Int) -> UInt64 {
        var checksum = CRC64()
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[..<IndexFormat.Header.checksum]))
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[IndexFormat.headerSize..<tableEnd]))
        return checksum.value
    }
}
