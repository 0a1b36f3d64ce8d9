package import Sealing

/// What a confidential application authenticates with: `eas_` and 43 random base62 characters (256
/// bits). Only a keyed digest is stored.
package enum ApplicationSecret {
    package static let digestPurpose = "application_secret"

    package static func make(using generator: inout some RandomNumberGenerator) -> Secret {
        Secret("eas_" + Base62.random(43, using: &generator))
    }

    package static func digest(_ secret: Secret, with keyring: Keyring) -> [UInt8] {
        keyring.digest(Array(secret.reveal().utf8), purpose: digestPurpose)
    }
}
