extension String {
    /// Whether both strings have the same bytes, as required for identifiers (OpenID Connect Core, section 3.1.3.7). For `==`, a
    /// Kelvin sign equals K.
    func isSame(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
