/// Polygons of regions, as edges in bands of latitude.
struct BorderMap: Sendable {
    let section: ByteSection

    init(_ section: ByteSection, file: String) throws(GazetteerError) {
        self.section = section
    }
}
