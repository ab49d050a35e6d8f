import Glibc

extension NameTrie {
    /// Lays out keys, which must come in order.
    struct Writer {
        struct Claim: Equatable {
            var kind: UInt8
            var target: UInt32
        }

        private struct Key {
            var bytes: Range<Int>
            var claims: Range<Int>
            var spelling: Range<Int>
            var best: UInt8
            var hasRegion: Bool
        }

        private var pool: [UInt8] = []
        private var claims: [Claim] = []
        private var claimSize = 3
        private var keys: [Key] = []

        /// - Parameters:
        ///   - spelling: how people write the name, in at most 255 bytes; empty if that is as usual.
        ///   - weight: at least that of its heaviest claim.
        mutating func add(
            _ key: UnsafeRawBufferPointer, _ claims: [Claim], spelling: UnsafeRawBufferPointer,
            weight: Double, hasRegion: Bool
        ) {
            let start = pool.count
            pool.append(contentsOf: key)
            let spelt = pool.count
            if !spelling.isEmpty { pool += NameSpelling.encoded(spelling, of: key) }
            let first = self.claims.count
            self.claims += claims
            keys.append(
                Key(
                    bytes: start..<spelt, claims: first..<self.claims.count, spelling: spelt..<pool.count,
                    best: UInt8(min(255, (log2(max(weight, 1)) * 7).rounded(.up))), hasRegion: hasRegion))
        }

        mutating func layOut() -> (names: SectionBytes, count: Int) {
            claimSize = claims.allSatisfy { $0.target < 1 << NameTrie.Claim.kindShift(3) } ? 3 : 4
            var section = SectionBytes()
            section.append(UInt32(claims.count))
            section.append(UInt32(claimSize))
            section.bytes += nodes(of: keys.indices, after: 0).bytes
            return (section, claims.count)
        }

        private struct Nodes {
            var bytes: [UInt8] = []
            var best: UInt8 = 0
            var hasRegion = false
        }

        /// The nodes of keys that share their first bytes, the heaviest first.
        private func nodes(of range: Range<Int>, after depth: Int) -> Nodes {
            var nodes: [Nodes] = []
            var rest = range
            while let first = rest.first {
                let byte = pool[keys[first].bytes.lowerBound + depth]
                let end =
                    rest.firstIndex { pool[keys[$0].bytes.lowerBound + depth] != byte } ?? rest.upperBound
                nodes.append(node(of: first..<end, after: depth))
                rest = end..<rest.upperBound
            }
            // The order of equal ones is that of their bytes.
            let order = nodes.indices.sorted {
                nodes[$0].best != nodes[$1].best ? nodes[$0].best > nodes[$1].best : $0 < $1
            }
            return order.reduce(into: Nodes()) { all, index in
                all.bytes += nodes[index].bytes
                all.best = max(all.best, nodes[index].best)
                all.hasRegion = all.hasRegion || nodes[index].hasRegion
            }
        }

        /// One node for keys that have one more byte in common.
        private func node(of range: Range<Int>, after depth: Int) -> Nodes {
            let first = pool[keys[range.lowerBound].bytes]
            let last = pool[keys[range.upperBound - 1].bytes]
            // The keys come in order, so what these two share, all share.
            let shared = zip(first, last).prefix { $0 == $1 }.count
            let end = min(shared, depth + NameTrie.longestLabel)
            let isOwn = end == first.count
            let own = keys[range.lowerBound]
            let below = nodes(of: isOwn ? range.dropFirst() : range, after: end)
            var content = SectionBytes()
            let length = end - depth
            var bits = min(UInt8(length - 1), NameTrie.First.longLabel)
            if bits == NameTrie.First.longLabel { content.append(UInt8(length)) }
            content.bytes += first[(first.startIndex + depth)..<(first.startIndex + end)]
            if isOwn {
                let count = min(own.claims.count, Int(NameTrie.First.manyClaims))
                bits |= UInt8(count) << NameTrie.First.claimShift
                if count == NameTrie.First.manyClaims { content.append(varint: own.claims.count) }
                for claim in claims[own.claims] {
                    let packed = NameTrie.Claim.pack(claim.kind, claim.target, size: claimSize)
                    content.append(packed, byteCount: claimSize)
                }
                if !own.spelling.isEmpty {
                    bits |= NameTrie.First.spelling
                    content.bytes += pool[own.spelling]
                }
            }
            content.bytes += below.bytes
            var node = below
            if isOwn {
                node.best = max(node.best, own.best)
                node.hasRegion = node.hasRegion || own.hasRegion
            }
            let isLeaf = below.bytes.isEmpty
            var head = SectionBytes(bytes: [bits | (isLeaf ? NameTrie.First.leaf : 0), node.best])
            if !isLeaf { head.append(varint: content.bytes.count << 1 | (node.hasRegion ? 1 : 0)) }
            node.bytes = head.bytes + content.bytes
            return node
        }
    }
}
