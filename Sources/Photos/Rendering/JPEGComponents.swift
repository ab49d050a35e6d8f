/// What the scans of a JPEG have brought of its components (ITU-T T.81, B.2.2 and B.2.3).
struct JPEGComponents {
    private let isProgressive: Bool
    /// By the component's number: for each coefficient that has come, the lowest bit that has.
    private var bits: [UInt8: [Int: UInt8]] = [:]

    init() { isProgressive = false }

    /// - Parameter frame: three bytes for each component.
    init(frame: Slice<UnsafeRawBufferPointer>, isProgressive: Bool) {
        self.isProgressive = isProgressive
        for at in stride(from: frame.startIndex, to: frame.endIndex - 2, by: 3) { bits[frame[at]] = [:] }
    }

    /// - Parameter scan: the payload of its header.
    mutating func note(scan: Slice<UnsafeRawBufferPointer>) {
        guard let count = scan.first.map(Int.init), scan.count >= 1 + 2 * count + 3 else { return }
        let rest = scan.startIndex + 1 + 2 * count
        // Others than progressive scans have all of a component, whatever these bytes are.
        let coefficients =
            isProgressive ? Int(scan[rest])...max(Int(scan[rest]), Int(scan[rest + 1])) : 0...63
        let lowest = isProgressive ? scan[rest + 2] & 15 : 0
        let refines = isProgressive && scan[rest + 2] >> 4 > 0
        for index in 0..<count {
            let component = scan[scan.startIndex + 1 + 2 * index]
            for coefficient in coefficients.clamped(to: 0...63)
            where !refines || bits[component]?[coefficient] != nil { bits[component]?[coefficient] = lowest }
        }
    }

    /// Whether no component is missing.
    var areAllScanned: Bool { bits.values.allSatisfy { $0[0] != nil } }

    /// Whether no coefficient is missing, or a part of it.
    var hasAllBits: Bool { bits.values.allSatisfy { $0.count == 64 && $0.values.allSatisfy { $0 == 0 } } }
}
