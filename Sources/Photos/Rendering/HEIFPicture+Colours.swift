import Imaging

extension HEIFPicture {
    /// The meaning and range of the values.
    struct Colours {
        /// Whether the primary item has but one colour, which the decoder returns three times.
        private(set) var isMonochrome = false
        /// Whether the decoder will return black as 16 of 255 and white as 235: libheif 1.15 treats grey as full range.
        private(set) var isLimitedGrey = false
        /// The meaning of the values; nil if nothing says it.
        private(set) var codePoints: CodePoints?
        /// Whether libheif 1.15 makes other colours of the values: it takes RGB for full range, and YCgCo for 8 bits.
        private(set) var areUnreadable = false

        init() {}

        /// Reads the `colr` property of type `nclx` (ISO/IEC 14496-12, 12.1.5) of the primary item, else of its first tile.
        ///
        /// - Parameter header: counts where there is none.
        init(
            _ items: [Item], _ format: Format?, _ header: AV1SequenceHeader?, _ bytes: UnsafeRawBufferPointer
        ) {
            var said: (points: CodePoints, matrix: Int, isLimited: Bool)?
            isMonochrome = format?.chroma == 0
            for item in [items[0].parts.first, 0].compactMap({ $0 }) {
                for box in items[item].properties.compactMap(\.box) {
                    let start = box.content.lowerBound
                    if bytes.has("colr", at: box.header), bytes.has("nclx", at: start),
                        box.content.count >= 11, let primaries = bytes.big16(start + 4),
                        let transfer = bytes.big16(start + 6), let matrix = bytes.big16(start + 8)
                    {
                        let points = CodePoints(primaries: primaries, transfer: transfer)
                        said = (points, matrix, bytes[start + 10] & 0x80 == 0)
                    }
                }
            }
            codePoints = said?.points ?? header?.codePoints
            let (matrix, isLimited) =
                said.map { ($0.matrix, $0.isLimited) } ?? (header?.matrix, header?.isLimited ?? false)
            areUnreadable = matrix == 0 && isLimited && !isMonochrome || matrix == 8 && format?.depth != 8
            isLimitedGrey = isMonochrome && isLimited
        }
    }
}
