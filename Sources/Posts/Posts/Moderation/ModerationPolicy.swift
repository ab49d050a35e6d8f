package import FoundationEssentials
import Glibc
import JobStore

/// How reports are weighed, and when posts are hidden or held: one row of `darkroom.moderation_policies`.
///
/// The rule for reports is pure: ``verdict(on:at:)``. The
/// defaults are those of the database's columns. `PolicyParameter` names and explains each value.
package struct ModerationPolicy: Sendable, Equatable {
    package var version: Int
    package var note = ""
    package var createdAt = Date(timeIntervalSince1970: 0)

    package var hideThreshold = 5.0
    package var restoreShare = 0.5
    package var approvedFactor = 3.0
    package var hideRate = 0.0001
    package var hideCeiling = 25.0
    package var highRate = 0.2
    package var leastThreshold = 3.0
    package var reportLifetime = Duration.days(180)

    package var priorAgreed = 2.0
    package var priorDisagreed = 2.0
    package var recordFloor = 0.1
    package var recordCeiling = 1.5

    package var newAccountWeight = 0.2
    package var accountHalfLife = Duration.days(7)

    package var matureAge = Duration.days(30)
    package var burstWindow = Duration.seconds(600)
    package var cohortWindow = Duration.days(1)
    package var sharedPosts = 3
    package var sharedShare = 0.5
    package var groupCap = 2.5

    package var weightExplicit = 1.5
    package var weightMinors = 2.0
    package var weightViolence = 1.2
    package var weightHarassment = 1.0
    package var weightSpam = 1.0
    package var weightPrivateInformation = 1.5
    package var weightIllegal = 2.0
    package var weightOther = 0.5
    package var urgentReasons: [ReportGround] = [.minors, .illegal, .explicit, .privateInformation]
    package var urgentRecord = 0.75

    package var removalsToHold = 3
    package var removalsWithin = Duration.days(90)
    package var lookAlikeDistance = 6

    package var terms = "the rules of this service"
    package var law = "the law that applies where this service is offered"
    package var redress =
        "You can appeal to us, free of charge, within six months; turn to a certified out-of-court dispute settlement body; or go to court."

    package init(version: Int) {
        self.version = version
    }
}

extension ModerationPolicy {
    /// The smoothed share of a reporter's past reports with which reviews agreed: the posterior mean with a
    /// Beta(`priorAgreed`, `priorDisagreed`) prior, so that nobody is judged by one report.
    package func smoothedShare(agreed: Int, disagreed: Int) -> Double {
        (Double(agreed) + priorAgreed) / (Double(agreed + disagreed) + priorAgreed + priorDisagreed)
    }

    /// Between `recordFloor` and `recordCeiling`; 1 for a reporter whom no review has judged.
    package func recordWeight(agreed: Int, disagreed: Int) -> Double {
        let expected = priorAgreed / (priorAgreed + priorDisagreed)
        let weight = smoothedShare(agreed: agreed, disagreed: disagreed) / expected
        return min(max(weight, recordFloor), recordCeiling)
    }

    /// `n + (1 − n)(1 − 2^(−age / accountHalfLife))`, where n is `newAccountWeight`: every half-life halves the
    /// distance to 1. From `matureAge` on it is 1. `age` is in seconds; a negative one counts as 0.
    package func accountWeight(age: Double) -> Double {
        if age >= matureAge.inSeconds { return 1 }
        return newAccountWeight + (1 - newAccountWeight)
            * (1 - exp2(-max(0, age) / accountHalfLife.inSeconds))
    }

    package func weight(of reason: ReportGround) -> Double {
        switch reason {
        case .explicit: weightExplicit
        case .minors: weightMinors
        case .violence: weightViolence
        case .harassment: weightHarassment
        case .spam: weightSpam
        case .privateInformation: weightPrivateInformation
        case .illegal: weightIllegal
        case .other: weightOther
        }
    }

    /// The score at which a post is hidden: `hideThreshold`, but `hideRate` times the views if that is more, up to
    /// `hideCeiling`, and `highRate` times the views if that is less, down to `leastThreshold`. It is `approvedFactor` times
    /// as high for a post that a person approved.
    ///
    /// - Parameter views: nil or 0 if views are not counted.
    package func threshold(views: Int64?, isApproved: Bool) -> Double {
        let views = Double(max(0, views ?? 0))
        let few = views > 0 ? min(hideThreshold, max(leastThreshold, highRate * views)) : hideThreshold
        return max(few, min(hideRate * views, hideCeiling)) * (isApproved ? approvedFactor : 1)
    }
}

extension Duration {
    package static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}
