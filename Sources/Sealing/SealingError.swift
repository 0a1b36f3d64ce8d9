/// The reason why a sealed value does not open. No case contains any part of the value.
package enum SealingError: Error, Equatable, CustomStringConvertible {
    /// Not made by a keyring: too short, of an unknown version, or a token that is not base64url.
    case malformed
    /// A token longer than any issued token, rejected before any work.
    case tooLong
    /// Sealed under a master key that the keyring does not have.
    case unknownKey
    /// Changed since it was sealed, or presented for another tenant, row, column or purpose.
    case forged

    package var description: String {
        switch self {
        case .malformed: "This is not a sealed value."
        case .tooLong: "The token is longer than \(Keyring.longestToken) characters."
        case .unknownKey: "The master key that sealed this value is not in the keyring. Add it again after the newest one."
        case .forged: "The sealed value was changed or belongs to another row."
        }
    }
}
