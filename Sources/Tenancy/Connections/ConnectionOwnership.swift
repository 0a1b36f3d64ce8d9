package import Access

extension ActingContext {
    /// The ownership of the owner's connections: its own, or shared with every tenant.
    package var ownership: Connection.Ownership { owner == .platform ? .shared : .own }
}
