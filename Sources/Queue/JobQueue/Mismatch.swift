/// What was read for a job is not what its owner said: the owner is at fault, or where it was read.
package struct Mismatch: Hashable, Sendable {
    /// What the owner is told, if the owner is at fault.
    package let rejection: Reason
    /// Who said what is there. Mismatches of several owners at once are the dependency's fault.
    package let owner: String
    /// Where it was read, with what operators are told if that is at fault.
    package let suspect: Absence

    package init(rejection: Reason, owner: String, suspect: Absence) {
        self.rejection = rejection
        self.owner = owner
        self.suspect = suspect
    }
}
