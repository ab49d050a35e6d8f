/// Mixes words to one (the steps of MurmurHash3's finalizer).
private struct Mixer {
    var value: UInt64
    init(_ seed: UInt64) { value = seed }
    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
        value = (value ^ (value >> 29)) &* 0xbf58_476d_1ce4_e5b9
        value ^= value >> 32
    }
    mutating func add(_ a: UInt32, _ b: UInt32) { add(UInt64(a) << 32 | UInt64(b)) }
}

extension ModelState {
    /// By which the search knows a state. It is the same for states in which the workers, or jobs of the same kind, have
    /// changed places: everything that concerns one job is mixed to one word, and the words are added.
    func key(_ rules: Rules) -> UInt64 { min(key(rules, isMirrored: false), key(rules, isMirrored: true)) }

    private func key(_ rules: Rules, isMirrored: Bool) -> UInt64 {
        let flip: Int8 = isMirrored ? Int8(Self.registrations) : 0
        func word(_ token: Token) -> UInt64 {
            token.worker < 0 ? 0xffff : UInt64(token.worker ^ flip) << 8 | UInt64(token.claim)
        }
        func number(_ worker: Int8) -> UInt64 { worker < 0 ? 0xff : UInt64(worker ^ flip) }

        var all = Mixer(1)
        all.add(UInt64(budget.faults) << 32 | UInt64(budget.orders) << 16 | UInt64(budget.retries))
        for place in 0..<2 {
            let index = isMirrored ? 1 - place : place
            for number in 0..<Self.registrations {
                let row = registrations[index][number]
                guard row.exists || !row.leases.isEmpty else { continue }
                all.add(
                    UInt64(row.leases.bits) << 32 | UInt64(row.first) << 24 | UInt64(number) << 16
                        | UInt64(row.verdict.rawValue) << 8 | (row.hasSignedOff ? 2 : 0)
                        | (row.exists ? 1 : 0))
            }
            let process = processes[index]
            all.add(
                number(process.number) << 32 | UInt64(process.lastClaim) << 24
                    | UInt64(process.heartbeat.rawValue) << 8
                    | (process.lives ? 1 : 0) | (process.isStopping ? 2 : 0) | (process.isCutOff ? 4 : 0)
                    | (process.isClaimLost ? 8 : 0) | (process.takesSuspect ? 16 : 0))
            all.add(
                word(process.claimToken) << 32 | UInt64(process.claim.rawValue) << 16
                    | UInt64(process.review.rawValue))
            if process.review != .none {
                all.add(
                    number(process.statement.worker) << 48 | UInt64(process.statement.upTo) << 40)
            }
        }
        let requests = Pair(mixed(late[0], word, number)).with(1, mixed(late[1], word, number))
        all.add(requests[0] &+ requests[1])

        var jobsOfAKind: UInt64 = 0
        for job in 0..<rules.jobs {
            var one = Mixer(rules.isCapped && job == 2 ? 3 : 2)
            let row = jobs[job]
            one.add(
                word(row.lease) << 32 | word(row.released) << 48 | UInt64(row.place.rawValue) << 16
                    | UInt64(row.deaths) << 8 | (row.isCancelRequested ? 1 : 0) | (row.hasRunningKey ? 2 : 0)
                    | (row.isPromisedToEnd ? 4 : 0))
            for place in 0..<2 {
                let process = processes[isMirrored ? 1 - place : place]
                var attempts: UInt64 = 0
                for slot in 0..<4 {
                    let attempt = process.attempts[slot]
                    guard attempt.phase != .absent, Int(attempt.job) == job else { continue }
                    var mixer = Mixer(4)
                    mixer.add(
                        word(attempt.token) << 32 | UInt64(attempt.phase.rawValue) << 24
                            | UInt64(attempt.ending.rawValue) << 16 | UInt64(attempt.stop.rawValue) << 8
                            | (attempt.isSuspect ? 1 : 0))
                    attempts &+= mixer.value
                }
                one.add(attempts)
                one.add(UInt64(process.claimed >> job & 1) << 1 | UInt64(process.claimedSuspects >> job & 1))
                if process.review != .none {
                    one.add(process.statement.running[job].bits, 0)
                    one.add(process.lostClaims[job].bits, process.cancelledClaims[job].bits)
                }
            }
            var concerned: UInt64 = 0
            for item in 0..<2 where late[item].kind != .none {
                var mixer = Mixer(requests[item])
                mixer.add(
                    late[item].statement.running[job].bits,
                    late[item].kind == .end && Int(late[item].job) == job ? 1 : 0)
                concerned &+= mixer.value
            }
            one.add(concerned)
            jobsOfAKind &+= one.value
        }
        all.add(jobsOfAKind)
        return all.value
    }

    private func mixed(
        _ request: LateRequest, _ token: (Token) -> UInt64, _ worker: (Int8) -> UInt64
    ) -> UInt64 {
        guard request.kind != .none else { return 0 }
        var mixer = Mixer(5)
        mixer.add(
            token(request.token) << 32 | UInt64(request.kind.rawValue) << 16
                | UInt64(request.ending.rawValue) << 8 | (request.takesSuspect ? 1 : 0))
        mixer.add(
            worker(request.statement.worker) << 48 | UInt64(request.statement.upTo) << 40)
        return mixer.value
    }
}

extension Pair {
    fileprivate func with(_ index: Int, _ element: Element) -> Pair {
        var copy = self
        copy[index] = element
        return copy
    }
}
