extension RenditionStructure {
    /// Checks an AVIF (AV1 Image File Format 1.1, over ISO/IEC 14496-12 and 23008-12).
    ///
    /// The file may hold one AV1 picture and one alpha picture. Every byte must belong to a box that describes them or
    /// to their AV1 data, and that data must have no metadata units. Credit is one XMP item that describes the picture.
    init(avif bytes: UnsafeRawBufferPointer, keepsCredit: Bool) throws(Fault) {
        var file = StructureCursor(bytes)
        var (name, content) = try file.box()
        guard name == "ftyp", try content.name() == "avif" else { throw Fault(.malformed) }
        _ = try content.big(4)
        while !content.isAtEnd {
            guard ["avif", "mif1", "miaf", "MA1B", "MA1A"].contains(try content.name()) else {
                throw Fault(.malformed)
            }
        }
        (name, content) = try file.box()
        guard name == "meta" else { throw Fault(.metadata(name)) }
        let items = try AVIFItems(&content, keepsCredit: keepsCredit)
        (name, content) = try file.box()
        guard name == "mdat" else { throw Fault(.metadata(name)) }
        guard file.isAtEnd else { throw Fault(.trailingBytes(file.remaining)) }
        var credit: PhotoCredit?
        for extent in items.extents.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard extent.lowerBound >= content.position else { throw Fault(.malformed) }
            guard extent.lowerBound == content.position else {
                throw Fault(.hiddenBytes(extent.lowerBound - content.position))
            }
            var data = try content.part(extent.count)
            if extent == items.packet {
                credit = try data.credit()
            } else {
                try Self.checkUnits(&data)
            }
        }
        try content.expectEnd()
        self.init(width: items.size.width, height: items.size.height, credit: credit)
    }

    /// Open bitstream units (AV1 specification 5.3): headers, frames and tiles only.
    private static func checkUnits(_ data: inout StructureCursor) throws(Fault) {
        while !data.isAtEnd {
            let header = try data.big(1)
            // It must have a size and no extension.
            guard header & 0x87 == 0x02 else { throw Fault(.malformed) }
            let kind = header >> 3
            guard [1, 2, 3, 4, 6, 7].contains(kind) else { throw Fault(.metadata("AV1 unit \(kind)")) }
            var length = 0
            var shift = 0
            while true {
                let byte = try data.big(1)
                length |= (byte & 0x7F) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
                guard shift < 35 else { throw Fault(.malformed) }
            }
            _ = try data.take(length)
        }
    }
}

/// The meta box of an AVIF that has one picture.
private struct AVIFItems {
    typealias Fault = RenditionStructure.Fault

    /// The places of the items' data in the file.
    var extents: [Range<Int>] = []
    /// The one of them that has the credit.
    var packet: Range<Int>?
    var size = (width: 0, height: 0)

    init(_ meta: inout StructureCursor, keepsCredit: Bool) throws(Fault) {
        try meta.expectZeros(4)
        var primary: Int?
        var located: [Int] = []
        var listed: [Int] = []
        /// The item that has the credit.
        var credit: Int?
        var properties: [Property] = []
        var owned: [Int: [Int]] = [:]
        var alpha: (item: Int, of: Int)?
        var described: (by: Int, item: Int)?
        var seen: Set<String> = []
        while !meta.isAtEnd {
            var (name, content) = try meta.box()
            guard seen.insert(name).inserted else { throw Fault(.malformed) }
            switch name {
            case "hdlr":
                try content.expectZeros(8)
                try content.expect("pict")
                // Reserved, and an empty name.
                try content.expectZeros(13)
            case "pitm":
                try content.expectZeros(4)
                primary = try content.big(2)
            case "iloc":
                try readLocations(&content, &located)
            case "iinf":
                try content.expectZeros(4)
                for _ in 0..<(try content.big(2)) {
                    let (item, kind) = try Self.readItem(&content)
                    listed.append(item)
                    guard kind == "mime" else { continue }
                    guard keepsCredit, credit == nil else { throw Fault(.metadata(kind)) }
                    credit = item
                }
            case "iprp":
                (properties, owned) = try Self.readProperties(&content)
            case "iref":
                try content.expectZeros(4)
                while !content.isAtEnd {
                    var (kind, reference) = try content.box()
                    let item = try reference.big(2)
                    guard try reference.big(2) == 1 else { throw Fault(.malformed) }
                    let target = try reference.big(2)
                    try reference.expectEnd()
                    switch kind {
                    case "auxl" where alpha == nil: alpha = (item, target)
                    case "cdsc" where keepsCredit && described == nil: described = (item, target)
                    default: throw Fault(.metadata(kind))
                    }
                }
            default:
                throw Fault(.metadata(name))
            }
            try content.expectEnd()
        }
        let pictures = listed.filter { $0 != credit }
        guard let primary, Set(listed) == Set(located), listed.count == located.count,
            Set(owned.keys) == Set(pictures), described?.by == credit,
            described.map({ $0.item == primary }) ?? true
        else { throw Fault(.malformed) }
        packet = credit.flatMap { located.firstIndex(of: $0) }.map { extents[$0] }
        let others = pictures.filter { $0 != primary }
        guard others.count == pictures.count - 1, others == (alpha.map { [$0.item] } ?? []),
            alpha.map({ $0.of == primary }) ?? true
        else { throw Fault(.malformed) }
        for (item, indices) in owned {
            let used = try indices.map { (index) throws(Fault) -> Property in
                guard 1...max(1, properties.count) ~= index, !properties.isEmpty else {
                    throw Fault(.malformed)
                }
                return properties[index - 1]
            }
            let sizes = used.compactMap {
                if case .size(let width, let height) = $0 { (width, height) } else { nil }
            }
            guard sizes.count == 1, used.contains(.alpha) == (item != primary) else {
                throw Fault(.malformed)
            }
            if item == primary { size = sizes[0] }
        }
        guard size.width > 0, size.height > 0 else { throw Fault(.malformed) }
    }

    private enum Property: Equatable {
        case size(Int, Int)
        case alpha
        case codec
    }

    private mutating func readLocations(
        _ content: inout StructureCursor, _ located: inout [Int]
    ) throws(Fault) {
        try content.expectZeros(4)
        // Four bytes each for offset, length and base.
        guard try content.big(2) == 0x4440 else { throw Fault(.malformed) }
        for _ in 0..<(try content.big(2)) {
            located.append(try content.big(2))
            try content.expectZeros(2)
            let base = try content.big(4)
            guard try content.big(2) == 1 else { throw Fault(.malformed) }
            let start = base + (try content.big(4))
            extents.append(start..<start + (try content.big(4)))
        }
    }

    private static func readItem(
        _ content: inout StructureCursor
    ) throws(Fault) -> (item: Int, kind: String) {
        var (name, entry) = try content.box()
        guard name == "infe", try entry.big(1) == 2 else { throw Fault(.malformed) }
        // The flag marks an item that is not shown by itself.
        guard try entry.big(3) <= 1 else { throw Fault(.malformed) }
        let item = try entry.big(2)
        try entry.expectZeros(2)
        let kind = try entry.name()
        guard kind == "av01" || kind == "mime" else { throw Fault(.metadata(kind)) }
        // An empty name.
        try entry.expectZeros(1)
        if kind == "mime" { try entry.expect("application/rdf+xml\0") }
        try entry.expectEnd()
        return (item, kind)
    }

    private static func readProperties(
        _ content: inout StructureCursor
    ) throws(Fault) -> (properties: [Property], owned: [Int: [Int]]) {
        var (name, list) = try content.box()
        guard name == "ipco" else { throw Fault(.malformed) }
        var properties: [Property] = []
        while !list.isAtEnd {
            var (kind, value) = try list.box()
            properties.append(try readProperty(kind, &value))
            try value.expectEnd()
        }
        var associations: StructureCursor
        (name, associations) = try content.box()
        guard name == "ipma" else { throw Fault(.malformed) }
        try associations.expectZeros(4)
        var owned: [Int: [Int]] = [:]
        for _ in 0..<(try associations.big(4)) {
            let item = try associations.big(2)
            var indices: [Int] = []
            // The highest bit marks a property that readers must understand.
            for _ in 0..<(try associations.big(1)) { indices.append(try associations.big(1) & 0x7F) }
            guard owned.updateValue(indices, forKey: item) == nil else { throw Fault(.malformed) }
        }
        try associations.expectEnd()
        return (properties, owned)
    }

    private static func readProperty(
        _ kind: String, _ value: inout StructureCursor
    ) throws(Fault) -> Property {
        switch kind {
        case "ispe":
            try value.expectZeros(4)
            return .size(try value.big(4), try value.big(4))
        case "av1C":
            guard try value.big(1) == 0x81 else { throw Fault(.malformed) }
            _ = try value.take(3)
        case "pixi":
            try value.expectZeros(4)
            _ = try value.take(try value.big(1))
        case "colr":
            // Only the code points of a standard are allowed, never a profile.
            let kind = try value.name()
            guard kind == "nclx" else { throw Fault(.metadata("colr \(kind)")) }
            _ = try value.take(7)
        case "auxC":
            try value.expectZeros(4)
            try value.expect("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
            return .alpha
        default:
            throw Fault(.metadata(kind))
        }
        return .codec
    }
}

extension StructureCursor {
    /// A box with a 32-bit length.
    fileprivate mutating func box() throws(Fault) -> (name: String, content: StructureCursor) {
        let length = try big(4)
        let name = try name()
        guard length >= 8 else { throw Fault(.malformed) }
        return (name, try part(length - 8))
    }
}
