/// What the scans of a JPEG have brought of its components (ITU-T T.81, B.2.2 and B.2.3).
struct JPEGComponents {
    private let isProgressive: Bool
    /// By the component's number, with a bit for each coefficient: whether it has come, and with its lowest bit.
    private var coefficients: [UInt8: (came: UInt64, isWhole: UInt64)] = [:]

    init() { isProgressive = false }

    /// - Parameter frame: three bytes for each component.
    init(frame: Slice<UnsafeRawBufferPointer>, isProgressive: Bool) {
        self.isProgressive = isProgressive
        for at in stride(from: frame.startIndex, to: frame.endIndex - 2, by: 3) {
            coefficients[frame[at]] = (0, 0)
        }
    }

    /// - Parameter scan: the payload of its header.
    mutating func note(scan: Slice<UnsafeRawBufferPointer>) {
        guard let count = scan.first.map(Int.init), 1...4 ~= count, scan.count >= 1 + 2 * count + 3 else {
            return
        }
        let rest = scan.startIndex + 1 + 2 * count
        // Others than progressive scans have all of a component, whatever these bytes are.
        let (first, last) = isProgressive ? (scan[rest], scan[rest + 1]) : (0, 63)
        guard first <= last, last < 64 else { return }
        let covered = UInt64.max >> UInt64(63 - last) & UInt64.max << UInt64(first)
        let isLowest = !isProgressive || scan[rest + 2] & 15 == 0
        let refines = isProgressive && scan[rest + 2] >> 4 > 0
        for index in 0..<count {
            guard var known = coefficients[scan[scan.startIndex + 1 + 2 * index]] else { continue }
            let brought = refines ? covered & known.came : covered
            known.came |= brought
            known.isWhole = isLowest ? known.isWhole | brought : known.isWhole & ~brought
            coefficients[scan[scan.startIndex + 1 + 2 * index]] = known
        }
    }

    /// Whether no component is missing.
    var areAllScanned: Bool { coefficients.values.allSatisfy { $0.came & 1 != 0 } }

    /// Whether no coefficient is missing, or a part of it.
    var hasAllBits: Bool { coefficients.values.allSatisfy { $0.isWhole == .max } }
}
