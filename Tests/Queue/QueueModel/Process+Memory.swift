/// What a worker remembers of its claims and attempts, as `RunningJobs` does.
extension Process {
    mutating func beginClaim() {
        lastClaim += 1
        claimToken = Token(worker: number, claim: lastClaim)
        takesSuspect = !attempts.contains { $0.phase != .absent && $0.isSuspect }
        claim = .sent
    }

    /// Starts the jobs of the reply; stops them at once if everything was stopped meanwhile.
    mutating func endClaim(_ rules: Rules) {
        for job in 0..<3 where claimed & (1 << job) != 0 {
            let slot = (0..<4).first { attempts[$0].phase == .absent }!
            attempts[slot] = Attempt()
            attempts[slot].phase = .running
            attempts[slot].job = Int8(job)
            attempts[slot].token = claimToken
            attempts[slot].isSuspect = claimedSuspects & (1 << job) != 0
            if isClaimLost, rules.mutation != .lateReplyStartsJobs { attempts[slot].stop = .leaseLost }
        }
        (claim, claimToken, takesSuspect, isClaimLost) = (.none, .none, false, false)
        (claimed, claimedSuspects) = (0, 0)
        sortAttempts()
    }

    mutating func remove(_ slot: Int) {
        attempts[slot] = Attempt()
        sortAttempts()
    }

    /// The order says nothing: states that differ only in it are one.
    mutating func sortAttempts() {
        func key(_ attempt: Attempt) -> Int {
            attempt.phase == .absent
                ? .max : Int(attempt.job) * 1000 + Int(attempt.token.worker) * 32 + Int(attempt.token.claim)
        }
        for end in [3, 2, 1] {
            for slot in 0..<end where key(attempts[slot]) > key(attempts[slot + 1]) {
                (attempts[slot], attempts[slot + 1]) = (attempts[slot + 1], attempts[slot])
            }
        }
    }

    func makeStatement(_ rules: Rules) -> Statement {
        var statement = Statement()
        statement.worker = number
        let isOpen = claim != .none && claimToken.worker == number
        statement.upTo =
            isOpen && rules.mutation != .reviewPassesClaimsUnderWay ? claimToken.claim - 1 : lastClaim
        for slot in 0..<4 where attempts[slot].phase != .absent && attempts[slot].token.worker == number {
            statement.running[Int(attempts[slot].job)].insert(Int(attempts[slot].token.claim))
        }
        return statement
    }

    mutating func endReview(isHeard: Bool) {
        if isHeard {
            for slot in 0..<4 where attempts[slot].phase != .absent {
                let attempt = attempts[slot]
                guard attempt.token.worker == statement.worker, attempt.stop == .none else { continue }
                if cancelledClaims[Int(attempt.job)].contains(Int(attempt.token.claim)) {
                    attempts[slot].stop = .cancelled
                } else if lostClaims[Int(attempt.job)].contains(Int(attempt.token.claim)) {
                    attempts[slot].stop = .leaseLost
                }
            }
        }
        review = .none
        statement = Statement()
        (lostClaims, cancelledClaims) = (Three(ClaimSet()), Three(ClaimSet()))
    }

    /// The first cause of a stop stays.
    mutating func stopAttempts() {
        isClaimLost = claim != .none
        for slot in 0..<4 where attempts[slot].phase != .absent && attempts[slot].stop == .none {
            attempts[slot].stop = .leaseLost
        }
    }

    mutating func register() {
        number += 1
    }

    /// Nothing remains of a process but its number.
    mutating func end() {
        let last = number
        self = Process(number: last)
        lives = false
    }
}
