import PlainText
import Testing

@Suite("A number")
struct ZeroPaddingTests {
    @Test(
        "is padded with zeros",
        arguments: [
            (0, 1, "0"), (0, 2, "00"), (7, 2, "07"), (123, 2, "123"), (-7, 2, "-07"), (-123, 2, "-123"),
            (Int.min, 4, "-9223372036854775808"),
        ])
    func padded(number: Int, width: Int, text: String) {
        #expect(number.padded(to: width) == text)
    }

    @Test("has all its hexadecimal digits")
    func hexadecimal() {
        #expect((0 as UInt64).hexadecimal == "0000000000000000")
        #expect((0xBEEF as UInt64).hexadecimal == "000000000000beef")
        #expect(UInt64.max.hexadecimal == "ffffffffffffffff")
        #expect((0xA as UInt8).padded(to: 2, radix: 16) == "0a")
    }

    @Test(
        "has a fixed number of digits after the point",
        arguments: [
            (0, 2, "0.00"), (0.006, 2, "0.01"), (-0.001, 2, "0.00"), (-0.05, 2, "-0.05"), (2.5, 2, "2.50"),
            (12.345, 4, "12.3450"), (-122.3393, 4, "-122.3393"), (89.99999, 4, "90.0000"), (2.5, 0, "3"),
        ])
    func fixed(number: Double, places: Int, text: String) {
        #expect(number.fixed(places: places) == text)
    }
}

@Suite("A fingerprint")
struct FingerprintTests {
    // Source: Fowler, Noll, Vo, Eastlake and Hansen, "The FNV Non-Cryptographic Hash Algorithm", test vectors.
    @Test(
        "is FNV-1a",
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325 as UInt64), ("a", 0xAF63_DC4C_8601_EC8C),
            ("foobar", 0x8594_4171_F739_67E8),
        ])
    func known(text: String, value: UInt64) {
        #expect(fingerprint(text.utf8) == value)
    }
}
