// This module is also built with the programs, which have no Testing.
#if canImport(Testing)
    import LocalObjectStore
    public import Testing

    extension Trait where Self == ConditionTrait {
        /// For tests that need a real object store.
        public static var realStore: Self {
            .enabled(Comment(rawValue: LocalObjectStore.missing)) { await ObjectStoreServer.isAvailable() }
        }
    }
#endif
