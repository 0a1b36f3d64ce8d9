package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofSinks: [SealedColumn] = [
        SealedColumn("usage_sink", "sealed_secret") { _, id in UsageSink.context(ID(id)) }
    ]
}
