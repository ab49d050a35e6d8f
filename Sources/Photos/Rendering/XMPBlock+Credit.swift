extension XMPBlock {
    /// `dc:creator`; several are separated by commas.
    var creator: String? {
        let names = values("dc:creator")
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    var credit: String? { values("photoshop:Credit").first }
    /// `dc:rights`, in the default language, else in the first.
    var copyright: String? { values("dc:rights").first }
    /// The address of the licence's page: `xmpRights:WebStatement`, or else Creative Commons' `cc:license`.
    var licence: String? { values("xmpRights:WebStatement").first ?? values("cc:license").first }
}
