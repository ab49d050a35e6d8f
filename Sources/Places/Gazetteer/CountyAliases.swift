/// Counties of the United Kingdom, and of Ireland, that GeoNames' table of second-level divisions has only in part: people name
/// them, and the table has the districts that took over from them.
///
/// Sources: for England the Lieutenancies Act 1997, schedule 1; for Wales the Local Government (Wales) Act 1994, schedule 1,
/// part III; for the counties of Northern Ireland the districts of 2015 that have a part of them; and the councils of
/// Scotland that share a county's name; for Dublin the Local Government (Dublin) Act 1993. Cleveland, Avon and Humberside were
/// counties until 1996, and Middlesex until 1965.
/// Towns whose postal addresses have the county of before 1974, or 1965 for London, are in both.
enum CountyAliases {
    /// Names, each with the codes of its districts, those of the United Kingdom without "GB.". A district that has the name itself is
    /// left out.
    static let byName: [(name: String, districts: String)] = [
        ("Merseyside", "ENG.G9 ENG.H8 ENG.L8 ENG.N1 ENG.Q1"),
        ("Greater Manchester", "ENG.B1 ENG.C1 ENG.I2 ENG.K1 ENG.L2 ENG.L5 ENG.N2 ENG.O1 ENG.O6 ENG.P7"),
        ("South Yorkshire", "ENG.A3 ENG.D5 ENG.L3 ENG.L9"),
        ("West Yorkshire", "ENG.B4 ENG.C2 ENG.G8 ENG.H3 ENG.O7"),
        ("Tyne and Wear", "ENG.E5 ENG.I7 ENG.J5 ENG.M7 ENG.N6"),
        ("West Midlands", "ENG.A7 ENG.C7 ENG.D7 ENG.L7 ENG.M2 ENG.O8 ENG.Q3"),
        ("Bedfordshire", "ENG.I1 ENG.Z5 ENG.Z6"),
        ("Berkshire", "ENG.B3 ENG.K7 ENG.M1 ENG.P4 ENG.P9 ENG.Q2"),
        ("Buckinghamshire", "ENG.I6"),
        ("Cambridgeshire", "ENG.K3"),
        ("Cheshire", "ENG.E9 ENG.N2 ENG.O1 ENG.O6 ENG.P2 ENG.Q1 ENG.Z7 ENG.Z8"),
        ("Cornwall", "ENG.Z9"),
        ("Derbyshire", "ENG.D2"),
        ("Devon", "ENG.K4 ENG.O4"),
        ("Dorset", "ENG.AA"),
        ("County Durham", "ENG.D1 ENG.E5 ENG.F5 ENG.M7 ENG.N3 ENG.N6"),
        ("East Riding of Yorkshire", "ENG.G6"),
        ("East Sussex", "ENG.B6"),
        ("Essex", "ENG.GLA ENG.M5 ENG.O3"),
        ("Gloucestershire", "ENG.M6"),
        ("Hampshire", "ENG.K6 ENG.M4"),
        ("Kent", "ENG.GLA ENG.I3"),
        (
            "Lancashire",
            "ENG.A8 ENG.A9 ENG.B1 ENG.C1 ENG.G9 ENG.H8 ENG.I2 ENG.K1 ENG.L2 ENG.L5 ENG.L8 ENG.N1 ENG.P7"
        ),
        ("Leicestershire", "ENG.H4"),
        ("Lincolnshire", "ENG.J2 ENG.J3"),
        ("Northamptonshire", "ENG.NNH ENG.WNH"),
        ("North Yorkshire", "ENG.I5 ENG.K9 ENG.N3 ENG.Q5"),
        ("Nottinghamshire", "ENG.J8"),
        ("Shropshire", "ENG.O2"),
        ("Somerset", "ENG.A4 ENG.J4"),
        ("Staffordshire", "ENG.D7 ENG.L7 ENG.N4 ENG.O8 ENG.Q3"),
        ("Wiltshire", "ENG.N9"),
        (
            "Yorkshire",
            "ENG.A3 ENG.B4 ENG.C2 ENG.D5 ENG.E1 ENG.G6 ENG.G8 ENG.H3 ENG.I5 ENG.J7 ENG.K9 ENG.L3 ENG.L9 ENG.O7 ENG.Q5"
        ),
        ("Sussex", "ENG.B6 ENG.E2 ENG.P6"),
        ("Avon", "ENG.A4 ENG.B7 ENG.J4 ENG.M6"),
        ("Cleveland", "ENG.F5 ENG.I5 ENG.K9 ENG.N3"),
        ("Humberside", "ENG.E1 ENG.G6 ENG.J2 ENG.J3"),
        ("Middlesex", "ENG.GLA"),
        ("Clwyd", "WLS.X8 WLS.X9 WLS.Y1 WLS.Z4"),
        ("Dyfed", "WLS.X6 WLS.X7 WLS.Y7"),
        ("Gwent", "WLS.X2 WLS.X4 WLS.Y4 WLS.Y6 WLS.Z2"),
        ("Gwynedd", "WLS.X1 WLS.X8"),
        ("Mid Glamorgan", "WLS.X3 WLS.Y3 WLS.Y9"),
        ("South Glamorgan", "WLS.X5 WLS.Z3"),
        ("West Glamorgan", "WLS.Y5 WLS.Z1"),
        ("Ayrshire", "SCT.U4 SCT.V7 SCT.W4"),
        ("Dunbartonshire", "SCT.U5 SCT.W7"),
        ("Lanarkshire", "SCT.V8 SCT.W5"),
        ("County Antrim", "NIR.N09000001 NIR.N09000003 NIR.N09000004 NIR.N09000007 NIR.N09000008"),
        ("Antrim", "NIR.N09000001 NIR.N09000003 NIR.N09000004 NIR.N09000007 NIR.N09000008"),
        ("County Armagh", "NIR.N09000002 NIR.N09000010"),
        ("Armagh", "NIR.N09000002 NIR.N09000010"),
        ("County Down", "NIR.N09000002 NIR.N09000003 NIR.N09000007 NIR.N09000010 NIR.N09000011"),
        ("County Fermanagh", "NIR.N09000006"),
        ("Fermanagh", "NIR.N09000006"),
        ("County Londonderry", "NIR.N09000004 NIR.N09000005 NIR.N09000009"),
        ("Londonderry", "NIR.N09000004 NIR.N09000005 NIR.N09000009"),
        ("County Tyrone", "NIR.N09000005 NIR.N09000006 NIR.N09000009"),
        ("Tyrone", "NIR.N09000005 NIR.N09000006 NIR.N09000009"),
        ("Surrey", "ENG.GLA"),
        ("Hertfordshire", "ENG.GLA"),
        ("Warwickshire", "ENG.A7 ENG.C7 ENG.M2"),
        ("Worcestershire", "ENG.D7"),
        ("Northumberland", "ENG.I7 ENG.J5"),
        ("Cumberland", "ENG.C9"),
        ("Westmorland", "ENG.C9"),
        ("Tyne Wear", "ENG.E5 ENG.I7 ENG.J5 ENG.M7 ENG.N6"),
        ("County Dublin", "IE.L.33 IE.L.34 IE.L.35 IE.L.39"),
        ("County Derry", "NIR.N09000004 NIR.N09000005 NIR.N09000009"),
    ]
}
