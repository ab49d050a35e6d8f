import FoundationEssentials
import Glibc
import TestKit

/// The folder of real and hostile photos, which is not part of a checkout.
enum SharedData {
    static let root: String? =
        access(Checkout.sharedData + "/photos.tsv", R_OK) == 0 ? Checkout.sharedData : nil

    /// The rows of a manifest, by column name.
    static func rows(_ name: String) -> [[String: String]] {
        guard let root, let text = contents(root + "/" + name) else { return [] }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard let header = lines.first?.split(separator: "\t", omittingEmptySubsequences: false) else {
            return []
        }
        return lines.dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return Dictionary(
                zip(header, fields).map { (String($0), String($1)) }, uniquingKeysWith: { first, _ in first })
        }
    }

    static func contents(_ path: String) -> [UInt8]? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return [UInt8](data)
    }
}
