import Glibc

/// The bytes of a section under construction, little-endian.
struct SectionBytes {
    var bytes: [UInt8] = []

    mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ value: Double) { append(value.bitPattern) }

    mutating func append(_ value: UInt32, byteCount: Int) {
        for byte in 0..<UInt32(byteCount) { bytes.append(UInt8(truncatingIfNeeded: value >> (byte * 8))) }
    }

    /// 7 bits per byte, the lowest first.
    mutating func append(varint value: Int) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(_ value: StringReference) {
        append(value.offset)
        append(value.length)
    }

    mutating func pad(_ count: Int) {
        for _ in 0..<count { bytes.append(0) }
    }
}

/// The text that records refer to.
struct StringPool {
    private(set) var section = SectionBytes()
    private var known: [String: StringReference] = [:]

    /// Stores a text only once; for texts that are likely to repeat.
    mutating func intern(_ text: String) -> StringReference {
        if let reference = known[text] { return reference }
        var copy = text
        let reference = copy.withUTF8 { append(UnsafeRawBufferPointer($0)) }
        known[text] = reference
        return reference
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) -> StringReference {
        let reference = StringReference(offset: UInt32(section.bytes.count), length: UInt32(bytes.count))
        section.bytes.append(contentsOf: bytes)
        return reference
    }
}

/// Lays out sections and installs the file in one step.
struct IndexWriter {
    var treePlaceCount: Int
    private(set) var sections: [(kind: IndexFormat.Kind, bytes: [UInt8])] = []

    init(treePlaceCount: Int) {
        self.treePlaceCount = treePlaceCount
    }

    mutating func add(_ kind: IndexFormat.Kind, _ section: SectionBytes) {
        sections.append((kind, section.bytes))
    }

    /// Writes the file next to its path, syncs it, renames it over the path and syncs the folder.
    /// - Returns: the file's size in bytes.
    func write(to path: String) throws(GazetteerError) -> Int {
        let (head, offsets, size) = layOut()
        let temporary = "\(path).\(getpid()).tmp"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw MappedFile.failure("create", temporary) }
        do throws(GazetteerError) {
            defer { close(descriptor) }
            try Self.write(head, at: 0, descriptor, temporary)
            for (section, offset) in zip(sections, offsets) {
                try Self.write(section.bytes, at: offset, descriptor, temporary)
            }
            guard ftruncate(descriptor, off_t(size)) == 0, fsync(descriptor) == 0 else {
                throw MappedFile.failure("sync", temporary)
            }
            guard rename(temporary, path) == 0 else { throw MappedFile.failure("put in place", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        try Self.syncFolder(of: path)
        return size
    }

    private func layOut() -> (head: [UInt8], offsets: [Int], size: Int) {
        func aligned(_ offset: Int) -> Int {
            (offset + IndexFormat.alignment - 1) / IndexFormat.alignment * IndexFormat.alignment
        }
        let tableEnd = IndexFormat.headerSize + sections.count * IndexFormat.entrySize
        var table = SectionBytes()
        var offsets: [Int] = []
        var offset = aligned(tableEnd)
        for section in sections {
            offsets.append(offset)
            table.append(section.kind.rawValue)
            table.append(UInt32(section.kind.recordSize))
            table.append(UInt64(offset))
            table.append(UInt64(section.bytes.count))
            table.append(section.bytes.withUnsafeBytes { CRC64.of($0) })
            table.append(UInt64(0))
            offset = aligned(offset + section.bytes.count)
        }
        var header = SectionBytes()
        header.bytes = IndexFormat.magic
        header.append(IndexFormat.version)
        header.append(UInt32(IndexFormat.headerSize))
        header.append(UInt64(offset))
        header.append(UInt32(sections.count))
        header.append(UInt32(IndexFormat.entrySize))
        header.append(NameFolding.version)
        header.append(UInt32(treePlaceCount))
        header.pad(IndexFormat.headerSize - header.bytes.count)
        header.bytes += table.bytes
        let checksum = header.bytes.withUnsafeBytes { IndexHeader.checksum($0, tableEnd: tableEnd) }
        withUnsafeBytes(of: checksum.littleEndian) { bytes in
            header.bytes.replaceSubrange(IndexFormat.Header.checksum..<IndexFormat.headerSize, with: bytes)
        }
        return (header.bytes, offsets, offset)
    }

    private static func write(_ bytes: [UInt8], at offset: Int, _ descriptor: CInt, _ path: String)
        throws(GazetteerError)
    {
        var done = 0
        while done < bytes.count {
            let (count, code) = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                return (pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done)), errno)
            }
            if count < 0, code == EINTR { continue }
            guard count > 0 else {
                throw MappedFile.failure("write", path, errno: count == 0 ? ENOSPC : code)
            }
            done += count
        }
    }

    private static func syncFolder(of path: String) throws(GazetteerError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw MappedFile.failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw MappedFile.failure("sync", folder) }
    }
}
