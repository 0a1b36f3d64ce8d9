/// The first step of the specification that a registration or an assertion fails (Level 3, sections 7.1 and 7.2).
///
/// A person can fix only a few of them: `expired` and `challenge` by another attempt, `algorithm` and `userNotVerified` with another
/// authenticator. A page shows one text for all others. The log may contain each of them, because they have no value of the request except
/// for a counter.
package enum PasskeyRefusal: Error, Equatable {
    // MARK: The credential of an assertion

    /// The credential is not one of those in the options.
    case notAllowed
    /// The passkey has another credential ID.
    case credential
    /// The user handle is missing, or it is not that of the account.
    case userHandle

    // MARK: Client data

    /// It is not strict JSON with the required members.
    case clientData
    /// The response of another ceremony.
    case type
    case challenge
    /// The challenge is older than its lifetime.
    case expired
    case origin
    /// The page was in a frame of another origin.
    case crossOrigin
    case topOrigin

    // MARK: Authenticator data

    /// The attestation object is malformed.
    case attestation
    /// The authenticator data is malformed, or it has a credential in an assertion, or none in a registration.
    case authenticatorData
    /// The credential belongs to another RP ID.
    case relyingParty
    case userNotPresent, userNotVerified
    /// The passkey is copied, but may not be copied.
    case backupState
    /// The passkey may be copied now, but not when it was registered, or the reverse.
    case backupEligibility

    // MARK: Keys and signatures

    case algorithm
    /// The public key is malformed.
    case publicKey
    /// The credential ID is empty or has more than 1023 bytes.
    case credentialID
    case signature
    /// The signature counter did not grow. Somebody may have copied the authenticator.
    case possibleClone(stored: UInt32, received: UInt32)
}
