import TestKit

/// A TIFF of grey pages, each of one strip.
struct TIFFPages {
    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        /// In the file's order, without what fills four bytes.
        var data: [UInt8]
    }

    struct Page {
        var width = 16
        var height = 16
        var grey: UInt8 = 128
        var isThumbnail = false
        var entries: [Entry] = []
    }

    let bytes: [UInt8]

    static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    static func short(_ tag: Int, _ value: Int) -> Entry {
        Entry(tag: tag, type: 3, count: 1, data: little(value, 2))
    }
    static func long(_ tag: Int, _ value: Int) -> Entry {
        Entry(tag: tag, type: 4, count: 1, data: little(value, 4))
    }
    static func bytes(_ tag: Int, _ data: [UInt8]) -> Entry {
        Entry(tag: tag, type: 7, count: data.count, data: data)
    }

    init(_ pages: [Page]) {
        var file = Array("II*\0".utf8) + Self.little(0, 4)
        // Where the place of the next directory is to be written.
        var link = 4
        for page in pages {
            let pixels = file.count
            file += [UInt8](repeating: page.grey, count: page.width * page.height)
            var entries = [
                Self.short(0x0100, page.width), Self.short(0x0101, page.height), Self.short(0x0102, 8),
                Self.short(0x0103, 1), Self.short(0x0106, 1), Self.long(0x0111, pixels),
                Self.short(0x0115, 1), Self.short(0x0116, page.height),
                Self.long(0x0117, page.width * page.height),
            ]
            if page.isThumbnail { entries.append(Self.long(0x00FE, 1)) }
            entries = (entries + page.entries).sorted { $0.tag < $1.tag }
            var directory = Self.little(entries.count, 2)
            for entry in entries {
                directory +=
                    Self.little(entry.tag, 2) + Self.little(entry.type, 2) + Self.little(entry.count, 4)
                if entry.data.count <= 4 {
                    directory += entry.data + [UInt8](repeating: 0, count: 4 - entry.data.count)
                } else {
                    if file.count % 2 == 1 { file.append(0) }
                    directory += Self.little(file.count, 4)
                    file += entry.data
                }
            }
            if file.count % 2 == 1 { file.append(0) }
            file.replaceSubrange(link..<link + 4, with: Self.little(file.count, 4))
            link = file.count + directory.count
            file += directory + [0, 0, 0, 0]
        }
        bytes = file
    }
}
