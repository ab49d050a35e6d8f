import Glibc

/// How much the tests try.
///
/// `make test` tries one real example of each kind. `make check` sets `DARKROOM_CHECK`, and tries everything.
package enum Extent {
    package static let isCheck = getenv("DARKROOM_CHECK") != nil

    /// An amount, or the arguments of a test.
    package static func of<Value>(_ gate: Value, check: Value) -> Value { isCheck ? check : gate }
}

extension Array {
    /// Every element in the check. In the gate every `step`th, starting with the first.
    package func every(_ step: Int) -> [Element] {
        Extent.isCheck ? self : stride(from: 0, to: count, by: step).map { self[$0] }
    }
}
