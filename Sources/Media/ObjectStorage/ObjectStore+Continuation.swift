extension ObjectStore {
    /// Where a list goes on after an object that it may no longer have.
    package func continuation(after key: ObjectKey) -> ListPage<ListedObject>.Continuation {
        .init(query: ["start-after": location.prefix + key.text])
    }
}
