/// Many states differ in numbers that nothing depends on. The search takes such states for one.
extension ModelState {
    /// Renumbers claims, of which only the order counts, and forgets what can have no effect any more.
    mutating func normalize() {
        for job in 0..<3 where jobs[job].released != .none && !isKnown(jobs[job].released) {
            jobs[job].released = .none
        }
        for process in 0..<2 {
            for number in 0..<Self.registrations {
                let row = registrations[process][number]
                if !row.exists, row.leases.isEmpty { registrations[process][number] = Registration() }
            }
            let used = claimsInUse(of: process)
            func rank(_ claim: Int8) -> Int8 {
                Int8((used.bits & ((2 << UInt32(claim)) &- 1)).nonzeroBitCount)
            }
            renumber(process, rank)
        }
    }

    private func isKnown(_ token: Token) -> Bool {
        let process = processes[token.process]
        return process.claimToken == token
            || process.attempts.contains { $0.phase != .absent && $0.token == token }
    }

    private func claimsInUse(of index: Int) -> ClaimSet {
        var used = ClaimSet()
        func add(_ token: Token) {
            if token.worker >= 0, token.process == index { used.insert(Int(token.claim)) }
        }
        func add(_ statement: Statement) {
            guard statement.worker >= 0, Int(statement.worker) / Self.registrations == index else { return }
            for job in 0..<3 { used.bits |= statement.running[job].bits }
        }
        let process = processes[index]
        for job in 0..<3 {
            add(jobs[job].lease)
            add(jobs[job].released)
        }
        for number in 0..<Self.registrations { used.bits |= registrations[index][number].leases.bits }
        for slot in 0..<4 { add(process.attempts[slot].token) }
        add(process.claimToken)
        add(process.statement)
        for item in 0..<2 where late[item].kind != .none {
            add(late[item].token)
            add(late[item].statement)
        }
        used.bits &= ~1
        return used
    }

    private mutating func renumber(_ index: Int, _ rank: (Int8) -> Int8) {
        func map(_ token: inout Token) {
            guard token.worker >= 0, token.process == index else { return }
            token = Token(worker: token.worker, claim: rank(token.claim))
        }
        func map(_ set: inout ClaimSet) {
            var (bits, mapped) = (set.bits, ClaimSet())
            while bits != 0 {
                mapped.insert(Int(rank(Int8(bits.trailingZeroBitCount))))
                bits &= bits - 1
            }
            set = mapped
        }
        func map(_ statement: inout Statement) {
            guard statement.worker >= 0, Int(statement.worker) / Self.registrations == index else { return }
            statement.upTo = rank(statement.upTo)
            for job in 0..<3 { map(&statement.running[job]) }
        }
        for job in 0..<3 {
            map(&jobs[job].lease)
            map(&jobs[job].released)
        }
        for number in 0..<Self.registrations {
            map(&registrations[index][number].leases)
            // What is below every claim that still counts is as good as zero.
            let first = registrations[index][number].first
            let below = first > 0 ? rank(first - 1) : 0
            registrations[index][number].first = below > 0 ? below + 1 : 0
        }
        for slot in 0..<4 { map(&processes[index].attempts[slot].token) }
        map(&processes[index].claimToken)
        map(&processes[index].statement)
        for job in 0..<3 {
            map(&processes[index].lostClaims[job])
            map(&processes[index].cancelledClaims[job])
        }
        processes[index].lastClaim = rank(processes[index].lastClaim)
        for item in 0..<2 where late[item].kind != .none {
            map(&late[item].token)
            map(&late[item].statement)
        }
    }
}
