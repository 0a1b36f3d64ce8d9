package import Access

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofDelivery: [SealedColumn] = [
        SealedColumn("webhook_secret", "sealed_secret") { WebhookSecret.context(owner: $0, ID($1)) }
    ]
}
