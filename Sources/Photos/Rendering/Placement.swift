import Imaging

/// A transformative property of a HEIF item.
enum HEIFTransformation {
    /// `clap` (ISO/IEC 14496-12, 12.1.4): a part, its centre lying right of and below the picture's by the offsets.
    case crop(width: Double, height: Double, right: Double, down: Double)
    /// `irot` (ISO/IEC 23008-12, 6.5.10): quarter turns anticlockwise.
    case rotate(Int)
    /// `imir` (ISO/IEC 23008-12:2022, 6.5.12): axis 0 exchanges top and bottom, axis 1 left and right.
    case mirror(axis: Int)
}

/// Which part of the decoded pixels is shown, and how they are turned upright.
struct Placement {
    /// The part that is shown, in decoded pixels.
    private(set) var left = 0
    private(set) var top = 0
    private(set) var storedWidth: Int
    private(set) var storedHeight: Int
    /// Quarter turns clockwise, after left and right were exchanged if `isMirrored`.
    private var turns = 0
    private var isMirrored = false

    /// - Parameter orientation: of the EXIF, 1 to 8.
    init(width: Int, height: Int, orientation: Int) {
        (storedWidth, storedHeight) = (width, height)
        for mirrored in [false, true] {
            if let turns = Self.orientations(mirrored).firstIndex(of: orientation) {
                (self.turns, isMirrored) = (turns, mirrored)
            }
        }
    }

    /// - Parameter transformations: in the order of the item's associations, in which they apply.
    init(width: Int, height: Int, transformations: [HEIFTransformation]) throws(PhotoRejection) {
        (storedWidth, storedHeight) = (width, height)
        for transformation in transformations {
            switch transformation {
            case .rotate(let count): turns = (turns - count) & 3
            case .mirror(let axis):
                // Mirrored, clockwise is anticlockwise; upside down is left to right turned by half.
                turns = ((axis == 0 ? 2 : 0) - turns) & 3
                isMirrored.toggle()
            case .crop(let width, let height, let right, let down):
                try crop(width: width, height: height, right: right, down: down)
            }
        }
    }

    private static func orientations(_ mirrored: Bool) -> [Int] { mirrored ? [2, 7, 4, 5] : [1, 6, 3, 8] }

    /// What remains to be done with the part that is shown, as an EXIF orientation.
    var orientation: Int { Self.orientations(isMirrored)[turns] }
    private var isTurned: Bool { turns & 1 == 1 }
    /// Upright.
    var width: Int { isTurned ? storedHeight : storedWidth }
    var height: Int { isTurned ? storedWidth : storedHeight }

    /// Crops what is upright so far. Parts of pixels are cut off; a part that starts between two pixels starts at
    /// the second.
    private mutating func crop(
        width: Double, height: Double, right: Double, down: Double
    ) throws(PhotoRejection) {
        let room = (x: (Double(self.width) - width) / 2, y: (Double(self.height) - height) / 2)
        // Written so that what is not a number fails too.
        guard width >= 1, height >= 1, abs(right) <= room.x, abs(down) <= room.y else {
            throw PhotoRejection(
                .corrupt, "The image is to be cropped (clean aperture) to a part that does not lie inside it."
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
