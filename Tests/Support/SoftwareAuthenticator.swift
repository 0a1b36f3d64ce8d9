import Crypto
import Encoding
import Foundation

/// An authenticator and its browser, made without the server's code: it creates one passkey and uses it (Web Authentication Level 3).
///
/// Each property can be changed, so that a test can break one rule alone. The signature of an assertion always covers the changed values.
package struct SoftwareAuthenticator: Sendable {
    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    /// The response of `navigator.credentials.create`.
    package struct Registration: Sendable {
        package let clientData, attestationObject: [UInt8]
    }

    /// The response of `navigator.credentials.get`.
    package struct Assertion: Sendable {
        package let credentialID: [UInt8]
        package let userHandle: [UInt8]?
        package var clientData, authenticatorData, signature: [UInt8]
    }

    private let key: Key

    // MARK: The browser

    package var origin: String
    /// Nil leaves the member out.
    package var crossOrigin: Bool? = false
    package var topOrigin: String?
    /// Replaces the type of the ceremony.
    package var type: String?
    /// Replaces the client data.
    package var clientData: [UInt8]?

    // MARK: The authenticator

    package var rpID: String
    /// UP, UV, BE and BS, as for a passkey of a phone.
    package var flags: UInt8 = 0b0001_1101
    package var signCount: UInt32 = 0
    package var aaguid = [UInt8](repeating: 0xAA, count: 16)
    package var credentialID = (0..<32).map { _ in UInt8.random(in: 0...255) }
    package var userHandle: [UInt8]?
    /// Replaces the COSE key.
    package var publicKey: [UInt8]?
    /// Follow the authenticator data, with the flag ED.
    package var extensions: [UInt8]?
    package var format = "none"
    package var statement = CBOR.map([])
    /// Replaces the attestation object.
    package var attestationObject: [UInt8]?
    /// Whether the authenticator data of an assertion also has the credential, which is not permitted.
    package var attestsAlways = false

    /// - Parameter algorithm: `ES256` or `EdDSA`.
    package init(_ algorithm: String = "ES256", rpID: String = "login.test", origin: String = "https://login.test") {
        (self.rpID, self.origin) = (rpID, origin)
        key = algorithm == "ES256" ? .p256(.init()) : .ed25519(.init())
    }

    /// The public half, as a COSE key.
    package var cose: [UInt8] {
        switch key {
        case .p256(let key):
            let point = Array(key.publicKey.x963Representation)
            return CBOR.map([
                (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(point[1...32]))),
                (.int(-3), .bytes(Array(point[33...]))),
            ]).encoded
        case .ed25519(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return CBOR.map([(.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)), (.int(-2), .bytes(point))]).encoded
        }
    }

    /// Creates the passkey.
    package func registration(_ challenge: [UInt8]) -> Registration {
        let object = CBOR.map([
            (.text("fmt"), .text(format)), (.text("attStmt"), statement),
            (.text("authData"), .bytes(authenticatorData(withCredential: true))),
        ])
        return Registration(
            clientData: collectedClientData("webauthn.create", challenge), attestationObject: attestationObject ?? object.encoded)
    }

    /// Uses the passkey. The caller increases the counter.
    package func assertion(_ challenge: [UInt8]) throws -> Assertion {
        let clientData = collectedClientData("webauthn.get", challenge)
        let data = authenticatorData(withCredential: attestsAlways)
        return Assertion(
            credentialID: credentialID, userHandle: userHandle, clientData: clientData, authenticatorData: data,
            signature: try signature(of: data + SHA256.hash(data: clientData)))
    }

    /// A signature in the form of the algorithm.
    package func signature(of bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key): Array(try key.signature(for: bytes).derRepresentation)
        case .ed25519(let key): Array(try key.signature(for: bytes))
        }
    }

    // MARK: Parts

    /// In the form and order of Level 3, section 5.8.1.1.
    private func collectedClientData(_ ceremony: String, _ challenge: [UInt8]) -> [UInt8] {
        if let clientData { return clientData }
        var text = #"{"type":"\#(type ?? ceremony)","challenge":"\#(challenge.base64URL)","origin":"\#(origin)""#
        if let crossOrigin { text += #","crossOrigin":\#(crossOrigin)"# }
        if let topOrigin { text += #","topOrigin":"\#(topOrigin)""# }
        return Array((text + "}").utf8)
    }

    /// Section 6.1.
    package func authenticatorData(withCredential: Bool) -> [UInt8] {
        let allFlags = flags | (withCredential ? 0x40 : 0) | (extensions == nil ? 0 : 0x80)
        var bytes = Array(SHA256.hash(data: Array(rpID.utf8))) + [allFlags]
        bytes += withUnsafeBytes(of: signCount.bigEndian) { Array($0) }
        if withCredential {
            bytes += aaguid + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID + (publicKey ?? cose)
        }
        return bytes + (extensions ?? [])
    }
}
