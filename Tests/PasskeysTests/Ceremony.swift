import Foundation
@testable import Passkeys
import TestSupport

/// A relying party, and the challenge that it sent.
struct Ceremony: Sendable {
    static let start = Date(timeIntervalSince1970: 1_795_000_000)

    let party: Passkeys.RelyingParty
    let challenge: PasskeyChallenge
    let userHandle: [UInt8] = Array("user handle 0001".utf8)

    init(at now: Date = Self.start) {
        var random = SystemRandomNumberGenerator()
        party = Passkeys.RelyingParty(name: "Test", origins: ["https://login.test", "https://console.login.test"])!
        challenge = PasskeyChallenge(at: now, using: &random)
    }

    /// Registers the passkey of an authenticator, with the response to this challenge or to another one.
    func register(
        _ authenticator: SoftwareAuthenticator, answering other: PasskeyChallenge? = nil, at now: Date = Self.start
    ) throws(PasskeyRefusal) -> Passkey {
        let response = authenticator.registration((other ?? challenge).bytes)
        return try party.verify(
            RegistrationResponse(clientData: response.clientData, attestationObject: response.attestationObject, transports: [.internal]),
            challenge: challenge, at: now)
    }

    /// The failed step of a registration. Nil for an accepted one.
    func refusal(of authenticator: SoftwareAuthenticator, answering other: PasskeyChallenge? = nil, at now: Date = Self.start)
        -> PasskeyRefusal?
    {
        do { _ = try register(authenticator, answering: other, at: now) } catch { return error }
        return nil
    }

    /// Uses the passkey of an authenticator.
    func use(
        _ assertion: SoftwareAuthenticator.Assertion, with passkey: Passkey, of account: AssertedAccount? = nil, at now: Date = Self.start
    ) throws(PasskeyRefusal) -> Passkey {
        let response = AssertionResponse(
            credentialID: assertion.credentialID, userHandle: assertion.userHandle, clientData: assertion.clientData,
            authenticatorData: assertion.authenticatorData, signature: assertion.signature)
        return try party.verify(response, with: passkey, of: account ?? .named(userHandle: userHandle), challenge: challenge, at: now)
    }

    func refusal(
        of assertion: SoftwareAuthenticator.Assertion, with passkey: Passkey, of account: AssertedAccount? = nil, at now: Date = Self.start
    ) -> PasskeyRefusal? {
        do { _ = try use(assertion, with: passkey, of: account, at: now) } catch { return error }
        return nil
    }
}

/// Characters that join with their neighbor into one `Character`.
let joining = ["\u{600}", "\u{301}", "\u{200D}"]
