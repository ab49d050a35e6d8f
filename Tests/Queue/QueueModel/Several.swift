/// Two, three or four of something in a fixed place: no state of a search needs memory of its own.
package struct Pair<Element: Hashable & Sendable>: Hashable, Sendable {
    private var a, b: Element
    package init(_ all: Element) { (a, b) = (all, all) }
    package subscript(index: Int) -> Element {
        get { index == 0 ? a : b }
        set { if index == 0 { a = newValue } else { b = newValue } }
    }
}

package struct Three<Element: Hashable & Sendable>: Hashable, Sendable {
    private var a, b, c: Element
    package init(_ all: Element) { (a, b, c) = (all, all, all) }
    package subscript(index: Int) -> Element {
        get { index == 0 ? a : index == 1 ? b : c }
        set {
            switch index {
            case 0: a = newValue
            case 1: b = newValue
            default: c = newValue
            }
        }
    }
}

package struct Four<Element: Hashable & Sendable>: Hashable, Sendable {
    private var first, second: Pair<Element>
    package init(_ all: Element) { (first, second) = (Pair(all), Pair(all)) }
    package subscript(index: Int) -> Element {
        get { index < 2 ? first[index] : second[index - 2] }
        set { if index < 2 { first[index] = newValue } else { second[index - 2] = newValue } }
    }
}

/// A set of claims of one worker, by their numbers (1 to 31).
package struct ClaimSet: Hashable, Sendable {
    package var bits: UInt32 = 0
    package init() {}
    package var isEmpty: Bool { bits == 0 }
    package func contains(_ claim: Int) -> Bool { bits & (1 << claim) != 0 }
    package mutating func insert(_ claim: Int) { bits |= 1 << claim }
    package mutating func remove(_ claim: Int) { bits &= ~(1 << claim) }
    /// The lowest, if any.
    package var first: Int? { bits == 0 ? nil : bits.trailingZeroBitCount }
    /// Those above `claim`.
    package func after(_ claim: Int) -> ClaimSet {
        var rest = self
        if claim >= 0 { rest.bits &= ~((2 << UInt32(claim)) &- 1) }
        return rest
    }
    package var all: [Int] { (1..<32).filter(contains) }
}
