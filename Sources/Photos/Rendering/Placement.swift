import Imaging

/// A transformative property of a HEIF item.
enum HEIFTransformation: Equatable {
    /// `clap` (ISO/IEC 14496-12, 12.1.4): a part whose centre is offset to the right and down from the picture's.
    case crop(width: Double, height: Double, right: Double, down: Double)
    /// `irot` (ISO/IEC 23008-12, 6.5.10): quarter turns anticlockwise.
    case rotate(Int)
    /// `imir` (ISO/IEC 23008-12:2022, 6.5.12): axis 0 swaps top and bottom, axis 1 left and right.
    case mirror(axis: Int)
}

/// Which part of the decoded pixels to show, and how to turn it upright.
struct Placement {
    /// The part to show, in decoded pixels.
    private(set) var left = 0
    private(set) var top = 0
    private(set) var storedWidth: Int
    private(set) var storedHeight: Int
    /// Quarter turns clockwise, after swapping left and right if `isMirrored`.
    private var turns = 0
    private var isMirrored = false

    /// - Parameter orientation: from the EXIF, 1 to 8.
    init(width: Int, height: Int, orientation: Int) {
        (storedWidth, storedHeight) = (width, height)
        for mirrored in [false, true] {
            if let turns = Self.orientations(mirrored).firstIndex(of: orientation) {
                (self.turns, isMirrored) = (turns, mirrored)
            }
        }
    }

    /// - Parameter transformations: in the order of the item's associations, which is the order in which they apply.
    init(width: Int, height: Int, transformations: [HEIFTransformation]) throws(PhotoRejection) {
        (storedWidth, storedHeight) = (width, height)
        for transformation in transformations {
            switch transformation {
            case .rotate(let count): turns = (turns - count) & 3
            case .mirror(let axis):
                // A mirror reverses turns. Swapping top and bottom is swapping left and right plus a half turn.
                turns = ((axis == 0 ? 2 : 0) - turns) & 3
                isMirrored.toggle()
            case .crop(let width, let height, let right, let down):
                try crop(width: width, height: height, right: right, down: down)
            }
        }
    }

    private static func orientations(_ mirrored: Bool) -> [Int] { mirrored ? [2, 7, 4, 5] : [1, 6, 3, 8] }

    /// How to turn the shown part upright, as an EXIF orientation.
    var orientation: Int { Self.orientations(isMirrored)[turns] }
    private var isTurned: Bool { turns & 1 == 1 }
    /// The size of the upright photo.
    var width: Int { isTurned ? storedHeight : storedWidth }
    var height: Int { isTurned ? storedWidth : storedHeight }

    /// Crops the photo as it stands after the transformations so far. The size is rounded down to whole pixels, and
    /// a start between two pixels is rounded up.
    private mutating func crop(
        width: Double, height: Double, right: Double, down: Double
    ) throws(PhotoRejection) {
        let room = (x: (Double(self.width) - width) / 2, y: (Double(self.height) - height) / 2)
        // Written so that NaN fails too.
        guard width >= 1, height >= 1, abs(right) <= room.x, abs(down) <= room.y else {
            throw PhotoRejection(
                .corrupt, "This photo is damaged: its crop (clean aperture) reaches outside the picture."
            )
        }
        var (x, y) = (right, down)
        for _ in 0..<turns { (x, y) = (y, -x) }
        if isMirrored { x = -x }
        let size =
            isTurned ? (width: Int(height), height: Int(width)) : (width: Int(width), height: Int(height))
        func start(_ whole: Int, _ part: Int, _ offset: Double) -> Int {
            min(whole - part, Int((Double(whole - part) / 2 + offset).rounded(.toNearestOrAwayFromZero)))
        }
        left += start(storedWidth, size.width, x)
        top += start(storedHeight, size.height, y)
        (storedWidth, storedHeight) = size
    }
}
