extension String {
    /// Byte for byte the same, as identifiers are compared (OpenID Connect Core, section 3.1.3.7). To `==`, a Kelvin sign is a K.
    func isSame(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
