import Glibc

/// The checkout that the tests were built from.
package enum Checkout {
    package static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The folder of the programs that users run: those of the release build. A debug build of them can work where they do not.
    package static let programs = root + "/.build/release"

    /// The folder of photos and reference data, which a clone does not have: `DARKROOM_TEST_DATA`, or a folder next to
    /// the checkout.
    package static let sharedData: String =
        if let given = getenv("DARKROOM_TEST_DATA") {
            String(cString: given)
        } else {
            "/" + (root.split(separator: "/").dropLast() + ["shared", "data"]).joined(separator: "/")
        }
}
