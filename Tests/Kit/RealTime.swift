// This module is also built with the programs, which have no Testing.
#if canImport(Testing)
    import Glibc
    public import Testing

    extension Trait where Self == ConditionTrait {
        /// For tests whose result depends on how long something really takes. `scripts/run-tests` runs them last and one at
        /// a time, so that other tests do not take the processor from them.
        public static var realTime: Self {
            .enabled(if: getenv("DARKROOM_REAL_TIME") == nil, "waits for the tests of real time")
        }
    }
#endif
