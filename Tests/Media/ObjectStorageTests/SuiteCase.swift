@testable import ObjectStorage

/// A case of AWS's Signature Version 4 test suite.
///
/// Source of the values: aws-signing-test-suite/v4 of https://github.com/awslabs/aws-c-auth, all cases but six. In those
/// the path is changed before it is signed (`a/../b` becomes `b`), which S3 does not do: another key would be meant.
struct SuiteCase: Sendable, CustomStringConvertible {
    var name: String
    var method: String
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body = ""
    var token: String?
    /// Of the request that is signed by its headers.
    var signature: String
    /// Of the URL that is signed.
    var presigned: String

    var description: String { name }

    static let all: [SuiteCase] = [
        SuiteCase(
            name: "get-header-key-duplicate", method: "GET", path: "/",
            headers: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
            presigned: "3349ee0b81b4b589da0ff28a395c3591e04de515651dd74f298fa992d1507a97"),
        SuiteCase(
            name: "get-header-value-multiline", method: "GET", path: "/",
            headers: [("My-Header1", "value1   value2      value3")],
            signature: "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd",
            presigned: "e6f5def831211aca02987a44b96826706278c7bc078112ae0263659c5b2f2d56"),
        SuiteCase(
            name: "get-header-value-order", method: "GET", path: "/",
            headers: [
                ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"),
                ("My-Header1", "value2"),
            ], signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
            presigned: "313720e71ca6202fdcfa9b20f88de01a4eb0638a83c833b1c184359a4eda864e"),
        SuiteCase(
            name: "get-header-value-trim", method: "GET", path: "/",
            headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
            presigned: "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4"),
        SuiteCase(
            name: "get-relative-relative-unnormalized", method: "GET", path: "/example1/example2/../..",
            signature: "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b",
            presigned: "b45db0bfd1cf15003493b733e33aa208dd981bd0e63037a6ed953f71d2118a16"),
        SuiteCase(
            name: "get-relative-unnormalized", method: "GET", path: "/example/..",
            signature: "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282",
            presigned: "cbcb213b928a077e43275df47b500f1dfaa864ab3f5a18f6b95f4ff0938167ee"),
        SuiteCase(
            name: "get-slash-dot-slash-unnormalized", method: "GET", path: "/./",
            signature: "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145",
            presigned: "a9b13e8f3484d9505bf1a6f347219f8f35b0fe8f128ceea597efc146a3dfe90c"),
        SuiteCase(
            name: "get-slash-pointless-dot-unnormalized", method: "GET", path: "/./example",
            signature: "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff",
            presigned: "72b11f16d9530b18204bfb71f2d6ab085894c0ed8d352730a6e76234c58b5e10"),
        SuiteCase(
            name: "get-slash-unnormalized", method: "GET", path: "//",
            signature: "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e",
            presigned: "b2a9542809db687769200f56a844a03f2bd0291d6eb90232d5101c6a579446cd"),
        SuiteCase(
            name: "get-slashes-unnormalized", method: "GET", path: "//example//",
            signature: "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5",
            presigned: "822a5a9ba28072c5ab2bb4a6307d0c88276d40e49fec6b724c03fb4d4ba60fc2"),
        SuiteCase(
            name: "get-space-normalized", method: "GET", path: "/example space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
            presigned: "7a1f416954786484c9824d93c1f26ef64acb9b1b6c9154d08c9f07d0e394abf6"),
        SuiteCase(
            name: "get-space-unnormalized", method: "GET", path: "/example space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
            presigned: "7a1f416954786484c9824d93c1f26ef64acb9b1b6c9154d08c9f07d0e394abf6"),
        SuiteCase(
            name: "get-unreserved", method: "GET",
            path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            presigned: "95968482db1b9e0fadef6efc1bd24689f77c77d9ef56919c96a28cc92e0d6005"),
        SuiteCase(
            name: "get-utf8", method: "GET", path: "/ሴ",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            presigned: "10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44"),
        SuiteCase(
            name: "get-vanilla", method: "GET", path: "/",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            presigned: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"),
        SuiteCase(
            name: "get-vanilla-empty-query-key", method: "GET", path: "/", query: [("Param1", "value1")],
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
            presigned: "49096700cbbaa5753443850f40df10f904fc2fdb544dc9512203cc77c471a9de"),
        SuiteCase(
            name: "get-vanilla-query", method: "GET", path: "/",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            presigned: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"),
        SuiteCase(
            name: "get-vanilla-query-order-encoded", method: "GET", path: "/",
            query: [("Param-3", "Value3"), ("Param", "Value2"), ("ሴ", "Value1")],
            signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
            presigned: "c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787"),
        SuiteCase(
            name: "get-vanilla-query-order-key-case", method: "GET", path: "/",
            query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            presigned: "86012e2c9ad4d77369f5d81c11f75158aae4f895a085212cc6d3f923d300bed5"),
        SuiteCase(
            name: "get-vanilla-query-unreserved", method: "GET", path: "/",
            query: [
                (
                    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                )
            ], signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
            presigned: "8e76a88a7433637b12778d5592799b29ad21ecd6cf6325051c21d86f0acda2bf"),
        SuiteCase(
            name: "get-vanilla-utf8-query", method: "GET", path: "/", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
            presigned: "0bdd809b1519ac4f0c1dc3540e2cc46bd0c7f778eda408b2ebf3b913d21ff600"),
        SuiteCase(
            name: "get-vanilla-with-session-token", method: "GET", path: "/",
            token: "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
            signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
            presigned: "7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c"),
        SuiteCase(
            name: "post-header-key-case", method: "POST", path: "/",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            presigned: "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b"),
        SuiteCase(
            name: "post-header-key-sort", method: "POST", path: "/", headers: [("My-Header1", "value1")],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
            presigned: "c09d07e0d55871f10f2a6d350d994acf6825a3cae70673d7def55616e6119dd7"),
        SuiteCase(
            name: "post-header-value-case", method: "POST", path: "/", headers: [("My-Header1", "VALUE1")],
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
            presigned: "0698bc9e4f7f9139065ba2909c0e99da257e8e2a42492a097bcd46d792391fed"),
        SuiteCase(
            name: "post-sts-header-after", method: "POST", path: "/",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            presigned: "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b"),
        SuiteCase(
            name: "post-sts-header-before", method: "POST", path: "/",
            token:
                "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
            presigned: "46c2e3c63c1dbe7d39f8ada16fe7f001c1f56c5791441565323677f96308871c"),
        SuiteCase(
            name: "post-vanilla", method: "POST", path: "/",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            presigned: "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b"),
        SuiteCase(
            name: "post-vanilla-empty-query-value", method: "POST", path: "/", query: [("Param1", "value1")],
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
            presigned: "a9ef26247f293bffe40eeff86a0480ba8c14d31503b2e0c3399e3a16bf1a3682"),
        SuiteCase(
            name: "post-vanilla-query", method: "POST", path: "/", query: [("Param1", "value1")],
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11",
            presigned: "a9ef26247f293bffe40eeff86a0480ba8c14d31503b2e0c3399e3a16bf1a3682"),
        SuiteCase(
            name: "post-x-www-form-urlencoded", method: "POST", path: "/",
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "13")],
            body: "Param1=value1",
            signature: "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
            presigned: "89a40deed0f26f9461242825a082d2222717248abc7ab41f552ad84a94ad46e9"),
        SuiteCase(
            name: "post-x-www-form-urlencoded-parameters", method: "POST", path: "/",
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
                ("Content-Length", "13"),
            ], body: "Param1=value1",
            signature: "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422",
            presigned: "0dbeb9b026c7b6675f266b8427efec9b4fa8b1f6ef1477d717aea231106eab4d"),
    ]
}
