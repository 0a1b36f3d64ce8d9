package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofSigning: [SealedColumn] = [
        SealedColumn("signing_key", "sealed_private") { SigningKey.context(ID($1), of: ID($0)) }
    ]
}
