/// A measurement that cannot be made or that contradicts itself.
package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
