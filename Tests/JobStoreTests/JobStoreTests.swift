// JobStore
