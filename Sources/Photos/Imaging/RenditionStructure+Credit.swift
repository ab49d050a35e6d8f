extension StructureCursor {
    /// Reads an XMP packet that must have exactly our own form, up to the end of the range.
    ///
    /// It holds at least one of four properties, in this order, each with a text that ``PhotoCredit/clean(_:)`` leaves as it
    /// is. The code that writes it is `CreditPacket`.
    mutating func credit() throws(Fault) -> PhotoCredit {
        do throws(Fault) {
            try expect(
                """
                <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
                <x:xmpmeta xmlns:x="adobe:ns:meta/">\
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
                <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" \
                xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
                xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">
                """)
            let creator = try value("<dc:creator><rdf:Seq><rdf:li>", "</rdf:li></rdf:Seq></dc:creator>")
            let copyright = try value(
                "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">", "</rdf:li></rdf:Alt></dc:rights>")
            let credit = try value("<photoshop:Credit>", "</photoshop:Credit>")
            let licence = try value("<xmpRights:WebStatement>", "</xmpRights:WebStatement>")
            try expect("</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>")
            try expectEnd()
            let found = PhotoCredit(
                creator: creator, credit: credit, copyright: copyright, licence: licence)
            guard let found, found.creator == creator, found.credit == credit,
                found.copyright == copyright, found.licence == licence
            else { throw Fault(.malformed) }
            return found
        } catch {
            throw Fault(.metadata("XMP"))
        }
    }

    /// The text between two tags; nil if the first tag does not come next.
    private mutating func value(_ start: StaticString, _ end: StaticString) throws(Fault) -> String? {
        guard skip(start) else { return nil }
        var escaped: [UInt8] = []
        while try peek() != UInt8(ascii: "<") { escaped.append(UInt8(try big(1))) }
        try expect(end)
        var rest = escaped[...]
        var plain: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ">"): throw Fault(.malformed)
            case UInt8(ascii: "&"):
                let name = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest.dropFirst(name.count + 1)
                switch String(decoding: name, as: UTF8.self) {
                case "amp": plain.append(UInt8(ascii: "&"))
                case "lt": plain.append(UInt8(ascii: "<"))
                case "gt": plain.append(UInt8(ascii: ">"))
                default: throw Fault(.malformed)
                }
            default: plain.append(byte)
            }
        }
        guard let text = String(validating: plain, as: UTF8.self) else { throw Fault(.malformed) }
        return text
    }
}
