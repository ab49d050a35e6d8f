import Imaging

/// The meaning and range of the values.
extension HEIFItems {
    /// Reads the `colr` property of type `nclx` (ISO/IEC 14496-12, 12.1.5) of the primary item, else of its first tile. Without
    /// one, the sequence header of AV1 counts.
    ///
    /// libheif 1.15 treats grey as full range, whatever the file says.
    mutating func readColours(of primary: Int, _ properties: Properties, _ header: AV1SequenceHeader?) {
        var wanted: Set<Int> = [primary]
        if let part = self.parts(of: primary).first(where: { _ in true }) { wanted.insert(part) }
        var said: (points: CodePoints, matrix: Int, isLimited: Bool)?
        var isGrey = false
        var isDeep = false
        forFirstAssociations(of: wanted, properties) { item, associations in
            for box in associations.compactMap({ properties[$0] }) {
                let start = box.content.lowerBound
                if bytes.has("av1C", at: box.header), box.content.count >= 4 {
                    isGrey = bytes[start + 2] & 0x10 != 0
                    isDeep = bytes[start + 2] & 0x40 != 0
                }
                if bytes.has("hvcC", at: box.header), box.content.count > 17 {
                    isMonochrome = bytes[start + 16] & 3 == 0
                    isDeep = bytes[start + 17] & 7 != 0
                }
                if bytes.has("colr", at: box.header), bytes.has("nclx", at: start),
                    box.content.count >= 11, said == nil || item == primary,
                    let primaries = bytes.big16(start + 4), let transfer = bytes.big16(start + 6),
                    let matrix = bytes.big16(start + 8)
                {
                    said = (
                        CodePoints(primaries: primaries, transfer: transfer), matrix,
                        bytes[start + 10] & 0x80 == 0
                    )
                }
            }
        }
        codePoints = said?.points ?? header?.codePoints
        isMonochrome = isMonochrome || isGrey
        let (matrix, isLimited) =
            said.map { ($0.matrix, $0.isLimited) } ?? (header?.matrix, header?.isLimited ?? false)
        hasUnreadableColours = matrix == 0 && isLimited && !isMonochrome || matrix == 8 && isDeep
        isLimitedGrey = isGrey && (said?.isLimited ?? header?.isLimited ?? false)
    }
}
