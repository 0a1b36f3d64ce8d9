package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofTenancy: [SealedColumn] = [
        SealedColumn("apple_key", "sealed_pem") { AppleKey.context(owner: $0, id: ID($1)) }
    ]
}
