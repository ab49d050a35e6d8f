/// Polygons read for the index.
struct BorderDraft {
    var isEmpty: Bool { true }

    func layOut() -> SectionBytes { SectionBytes() }
}

extension BuildState {
    mutating func readCountryBorders(_ file: MappedFile) throws(GazetteerError) {}
}
