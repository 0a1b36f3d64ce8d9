/// Why something sealed does not open. None of the cases carries any of its content.
package enum SealingError: Error, Equatable, CustomStringConvertible {
    /// Not something a keyring made: too short, of an unknown version, or a token that is not base64url.
    case malformed
    /// A token longer than any that is ever made, refused before any work.
    case tooLong
    /// Sealed under a master key that the keyring does not have.
    case unknownKey
    /// Changed since it was sealed, or presented for another tenant, row, column or purpose than its own.
    case forged

    package var description: String {
        switch self {
        case .malformed: "This is not a sealed value."
        case .tooLong: "The token is longer than \(Keyring.longestToken) characters."
        case .unknownKey: "The master key that sealed this is not in the keyring; add it back behind the newest one."
        case .forged: "The sealed value was changed, or belongs elsewhere."
        }
    }
}
