import Imaging

/// The XMP packet (ISO 16684-1) that says whom a rendition's photo is by, and its place in a file.
enum CreditPacket {
    static func bytes(_ credit: PhotoCredit) -> [UInt8] {
        var properties = ""
        if let creator = credit.creator {
            properties += "<dc:creator><rdf:Seq><rdf:li>\(escaped(creator))</rdf:li></rdf:Seq></dc:creator>"
        }
        if let copyright = credit.copyright {
            properties += "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">"
            properties += "\(escaped(copyright))</rdf:li></rdf:Alt></dc:rights>"
        }
        if let line = credit.credit { properties += "<photoshop:Credit>\(escaped(line))</photoshop:Credit>" }
        if let licence = credit.licence {
            properties += "<xmpRights:WebStatement>\(escaped(licence))</xmpRights:WebStatement>"
        }
        let packet =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
            + "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
            + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\""
            + " xmlns:photoshop=\"http://ns.adobe.com/photoshop/1.0/\""
            + " xmlns:xmpRights=\"http://ns.adobe.com/xap/1.0/rights/\">"
            + properties + "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        return Array(packet.utf8)
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// Inserts the packet as the first segment (APP1).
    static func inserted(_ packet: [UInt8], intoJPEG file: UnsafeRawBufferPointer) -> [UInt8]? {
        let payload = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet
        guard file.big16(0) == 0xFFD8, payload.count + 2 <= 0xFFFF else { return nil }
        return [0xFF, 0xD8, 0xFF, 0xE1] + [UInt8].big(payload.count + 2, 2) + payload
            + file.copy(2..<file.count)
    }

    /// Adds the packet as an item of type `mime` that describes the primary item (ISO/IEC 23008-12, annex A.3).
    ///
    /// Reads only what our encoder writes: `ftyp`, then `meta` with 32-bit places of the items, then `mdat`.
    static func inserted(_ packet: [UInt8], intoAVIF file: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let meta = file.big32(0), let data = file.big32(meta).map({ meta + $0 }),
            file.has("meta", at: meta + 4), file.has("mdat", at: data + 4), let length = file.big32(data),
            data + length == file.count
        else { return nil }
        var boxes: [(name: String, content: [UInt8])] = []
        var at = meta + 12
        while at < data {
            guard let size = file.big32(at), size >= 8, at + size <= data else { return nil }
            boxes.append(
                (String(decoding: file.copy(at + 4..<at + 8), as: UTF8.self), file.copy(at + 8..<at + size)))
            at += size
        }
        func index(_ name: String) -> Int? { boxes.firstIndex { $0.name == name } }
        guard let places = index("iloc"), let list = index("iinf"), let primary = index("pitm"),
            boxes[primary].content.count == 6, let items = number(boxes[list].content, 4, 2),
            number(boxes[places].content, 4, 2) == 0x4440, number(boxes[places].content, 6, 2) == items,
            boxes[places].content.count == 8 + 18 * items
        else { return nil }
        // Our encoder numbers its items from 1.
        let item = [UInt8].big(items + 1, 2)
        let entry = [2, 0, 0, 0] + item + [0, 0] + Array("mime\0application/rdf+xml\0".utf8)
        boxes[list].content.replaceSubrange(4..<6, with: [UInt8].big(items + 1, 2))
        boxes[list].content += [UInt8].box("infe", entry)
        let reference = [UInt8].box("cdsc", item + [0, 1] + boxes[primary].content[4...])
        let references = index("iref")
        if let references { boxes[references].content += reference }
        let growth = 18 + entry.count + 8 + reference.count + (references == nil ? 12 : 0)
        if references == nil { boxes.append(("iref", [0, 0, 0, 0] + reference)) }
        for number in 0..<items {
            let base = 8 + 18 * number + 4
            guard let before = Self.number(boxes[places].content, base, 4) else { return nil }
            boxes[places].content.replaceSubrange(base..<base + 4, with: [UInt8].big(before + growth, 4))
        }
        boxes[places].content.replaceSubrange(6..<8, with: [UInt8].big(items + 1, 2))
        boxes[places].content +=
            item + [0, 0] + [UInt8].big(file.count + growth, 4) + [0, 1] + [UInt8].big(0, 4)
            + [UInt8].big(packet.count, 4)
        let described: [UInt8] = [0, 0, 0, 0] + boxes.map { [UInt8].box($0.name, $0.content) }.joined()
        return file.copy(0..<meta) + [UInt8].box("meta", described)
            + [UInt8].box("mdat", file.copy(data + 8..<file.count) + packet)
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ size: Int) -> Int? {
        guard at + size <= bytes.count else { return nil }
        return bytes[at..<at + size].reduce(0) { $0 << 8 | Int($1) }
    }
}
