/// How people write a name, told from its folded form.
///
/// Most names are a usual form: a capital at the beginning of each word, or of the first one, and blanks or hyphens between
/// words. Others differ from one in one place. Then the index has
///
///     1 byte    the form in the two highest bits, and the number of bytes at the beginning that are as in the form, up to 63
///     1 byte    the number of the form's bytes that are not, up to 14, times 16, and the number of the other bytes in their
///               place, up to 14; or 255, then the number of bytes at the end that are as in the form, and of the others
///     the other bytes
enum NameSpelling {
    private static let hyphens: UInt8 = 1
    private static let firstWordOnly: UInt8 = 2
    private static let forms: ClosedRange<UInt8> = 0...3
    private static let formShift: UInt8 = 6
    private static let longestStart = 63
    private static let shortMost = 14
    private static let long: UInt8 = 255

    /// A folded name in a form. The first form is that of names of which the index says nothing.
    static func usual(_ key: some Collection<UInt8>, form: UInt8 = 0) -> [UInt8] {
        var name: [UInt8] = []
        name.reserveCapacity(key.count)
        var isStart = true
        var rest = key[...]
        while let byte = rest.popFirst() {
            if byte == 0x20 {
                name.append(form & hyphens == 0 ? 0x20 : 0x2D)
                isStart = form & firstWordOnly == 0
            } else if !isStart {
                name.append(byte)
            } else if byte < 0x80 {
                name.append((0x61...0x7A).contains(byte) ? byte - 0x20 : byte)
                isStart = false
            } else {
                let more = rest.prefix(byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1)
                rest = rest.dropFirst(more.count)
                let letter = String(decoding: [byte] + more, as: UTF8.self).unicodeScalars.first
                name += (letter?.properties.titlecaseMapping ?? "").utf8
                isStart = false
            }
        }
        return name
    }

    /// - Parameter name: at most 255 bytes.
    static func encoded(_ name: some BidirectionalCollection<UInt8>, of key: some Collection<UInt8>)
        -> [UInt8]
    {
        var best: [UInt8] = []
        for form in forms {
            let usual = usual(key, form: form)
            let start = min(zip(usual, name).prefix { $0 == $1 }.count, longestStart)
            let most = min(usual.count, name.count) - start
            let end = zip(usual.reversed(), name.reversed()).prefix(most).prefix { $0 == $1 }.count
            let other = name.dropFirst(start).dropLast(end)
            let (replaced, first) = (usual.count - start - end, form << formShift | UInt8(start))
            let head =
                max(replaced, other.count) <= shortMost
                ? [first, UInt8(replaced << 4 | other.count)]
                : [first, long, UInt8(end), UInt8(other.count)]
            guard best.isEmpty || head.count + other.count < best.count else { continue }
            best = head + other
        }
        return best
    }

    /// The number of all bytes, from the second and the fourth.
    static func length(_ second: UInt8, _ fourth: UInt8) -> Int {
        second == long ? 4 + Int(fourth) : 2 + Int(second & 15)
    }

    static func decoded(_ spelling: UnsafeRawBufferPointer, of key: [UInt8]) -> [UInt8] {
        guard spelling.count >= 2 else { return usual(key) }
        let usual = usual(key, form: spelling[0] >> formShift)
        let start = Int(spelling[0]) & longestStart
        let isLong = spelling[1] == long && spelling.count >= 4
        let end = isLong ? Int(spelling[2]) : usual.count - start - Int(spelling[1] >> 4)
        // Damage leads nowhere.
        guard end >= 0, start + end <= usual.count else { return usual }
        return Array(usual.prefix(start)) + spelling.dropFirst(isLong ? 4 : 2) + usual.suffix(end)
    }
}
