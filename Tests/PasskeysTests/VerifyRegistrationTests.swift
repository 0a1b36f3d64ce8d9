import Encoding
import Foundation
@testable import Passkeys
import TestSupport
import Testing

/// In each test of a refusal, the registration fails only this step of Web Authentication Level 3, section 7.1.
@Suite("Verification of a registration")
struct VerifyRegistrationTests {
    private let ceremony = Ceremony()

    /// The failed step if one thing is changed.
    private func refusal(_ algorithm: String = "ES256", _ change: (inout SoftwareAuthenticator) -> Void) -> PasskeyRefusal? {
        var authenticator = SoftwareAuthenticator(algorithm)
        change(&authenticator)
        return ceremony.refusal(of: authenticator)
    }

    @Test("a registration returns what is saved of a passkey", arguments: ["ES256", "EdDSA"])
    func accepted(_ algorithm: String) throws {
        var authenticator = SoftwareAuthenticator(algorithm)
        authenticator.signCount = 7
        #expect(
            try ceremony.register(authenticator)
                == Passkey(
                    id: authenticator.credentialID, publicKey: authenticator.cose, aaguid: authenticator.aaguid, signCount: 7,
                    isBackupEligible: true, isBackedUp: true, transports: [.internal]))
        authenticator.flags = 0b0000_0101
        let passkey = try ceremony.register(authenticator)
        #expect(!passkey.isBackupEligible && !passkey.isBackedUp)
    }

    @Test("steps 5 and 6: the client data is strict JSON")
    func clientData() {
        for text in ["", "{}", "[]", #"{"type":"webauthn.create"}"#] {
            #expect(refusal { $0.clientData = Array(text.utf8) } == .clientData)
        }
        let good = SoftwareAuthenticator().registration(ceremony.challenge.bytes).clientData
        #expect(refusal { $0.clientData = good } == nil)
        #expect(refusal { $0.clientData = good + [0] } == .clientData)
        #expect(refusal { $0.clientData = [0xEF, 0xBB, 0xBF] + good } == .clientData)
        #expect(refusal { $0.clientData = Array(good.dropLast()) } == .clientData)
    }

    @Test(
        "step 7: the response of another ceremony", arguments: ["webauthn.get", "payment.get", "Webauthn.create", "webauthn.create ", ""])
    func type(_ type: String) {
        #expect(refusal { $0.type = type } == .type)
    }

    @Test("step 8: replay of a response to another challenge")
    func challenge() {
        let authenticator = SoftwareAuthenticator()
        #expect(ceremony.refusal(of: authenticator, answering: Ceremony().challenge) == .challenge)
        // Other spellings of the same bytes.
        let text = String(decoding: authenticator.registration(ceremony.challenge.bytes).clientData, as: UTF8.self)
        let own = ceremony.challenge.text
        for other in ["\(own)=", "", own.uppercased() + "a", " \(own)", "\(own)\\u0000", String(own.dropLast())] {
            #expect(refusal { $0.clientData = Array(text.replacing(own, with: other).utf8) } == .challenge, "\(other)")
        }
        // An escape is the same text.
        #expect(refusal { $0.clientData = Array(text.replacing("webauthn", with: "web\\u0061uthn").utf8) } == nil)
    }

    @Test("a challenge lives longer than the timeout of the browser: 15 minutes")
    func expired() {
        let authenticator = SoftwareAuthenticator()
        for (seconds, expected) in [(0, nil), (899, nil), (900, .expired), (86_400, .expired)] as [(TimeInterval, PasskeyRefusal?)] {
            #expect(ceremony.refusal(of: authenticator, at: Ceremony.start.addingTimeInterval(seconds)) == expected)
        }
        // The clock of another process may be behind.
        #expect(ceremony.refusal(of: authenticator, at: Ceremony.start.addingTimeInterval(-5)) == nil)
    }

    @Test(
        "step 9: another origin",
        arguments: [
            "https://evil.test", "http://login.test", "https://login.test:8443", "https://login.test/", "https://LOGIN.test",
            "https://sub.login.test",
            "https://login.test.evil.test", "https://loginxtest", "login.test", "", "null", "https://login.test@evil.test",
            "android:apk-key-hash:AAAA",
        ])
    func origin(_ origin: String) {
        #expect(refusal { $0.origin = origin } == .origin)
    }

    @Test("each origin of the relying party is accepted")
    func origins() {
        #expect(refusal { $0.origin = "https://console.login.test" } == nil)
    }

    @Test("type, challenge and origin are compared by their bytes", arguments: joining)
    func joined(_ joining: String) {
        let own = ceremony.challenge.text
        let good = String(decoding: SoftwareAuthenticator().registration(ceremony.challenge.bytes).clientData, as: UTF8.self)
        for text in ["webauthn.create\(joining)", "\(joining)webauthn.create", "webauthn\(joining).create"] {
            #expect(refusal { $0.type = text } == .type)
        }
        for text in ["\(own)\(joining)", "\(joining)\(own)"] {
            #expect(refusal { $0.clientData = Array(good.replacing(own, with: text).utf8) } == .challenge)
        }
        for text in [
            "https://login.test\(joining)", "\(joining)https://login.test", "https://\(joining)login.test", "https:\(joining)//login.test",
        ] {
            #expect(refusal { $0.origin = text } == .origin)
        }
        // A joined quote ends no text, and a joined name is another member.
        #expect(refusal { $0.clientData = Array(good.replacing(#""type""#, with: "\"type\(joining)\"").utf8) } == .clientData)
        #expect(refusal { $0.clientData = Array((String(good.dropLast()) + ",\"origin\(joining)\":\"https://evil.test\"}").utf8) } == nil)
    }

    @Test("step 10: a page in a frame of another origin")
    func crossOrigin() {
        #expect(refusal { $0.crossOrigin = true } == .crossOrigin)
        #expect(refusal { $0.crossOrigin = nil } == nil)
    }

    @Test("step 11: a page of another site is around it", arguments: ["https://evil.test", "https://login.test", ""])
    func topOrigin(_ origin: String) {
        #expect(refusal { $0.topOrigin = origin } == .topOrigin)
    }

    @Test("step 13: a malformed attestation object, or malformed authenticator data in it")
    func attestation() {
        let good = SoftwareAuthenticator().registration(ceremony.challenge.bytes).attestationObject
        #expect(refusal { $0.attestationObject = good } == nil)
        for bytes in [[], [0xA0], [0xBF, 0xFF], Array(good.dropLast()), good + [0]] {
            #expect(refusal { $0.attestationObject = bytes } == .attestation)
        }
        #expect(refusal { $0.statement = .map([(.text("sig"), .bytes([1]))]) } == .attestation)
        #expect(refusal { $0.extensions = [0xF6] } == .authenticatorData)
        // Without a credential.
        let object = CBOR.map([
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([])),
            (.text("authData"), .bytes(SoftwareAuthenticator().authenticatorData(withCredential: false))),
        ])
        #expect(refusal { $0.attestationObject = object.encoded } == .authenticatorData)
    }

    @Test("step 14: another relying party", arguments: ["evil.test", "test", "LOGIN.test", "console.login.test", "https://login.test", ""])
    func relyingParty(_ id: String) {
        #expect(refusal { $0.rpID = id } == .relyingParty)
    }

    @Test("step 15: nobody was present")
    func userPresent() {
        #expect(refusal { $0.flags = 0b0001_1100 } == .userNotPresent)
        #expect(refusal { $0.flags = 0b0000_0101 } == nil)
    }

    @Test("step 16: the person was not verified")
    func userVerified() {
        #expect(refusal { $0.flags = 0b0001_1001 } == .userNotVerified)
    }

    @Test("step 17: a copy of a passkey that may not be copied")
    func backupState() {
        #expect(refusal { $0.flags = 0b0001_0101 } == .backupState)
        #expect(refusal { $0.flags = 0b0000_1101 } == nil)
    }

    @Test("step 20: an algorithm that was not offered, or a key that is none")
    func algorithm() {
        let rsa = CBOR.map([
            (.int(1), .int(3)), (.int(3), .int(-257)), (.int(-1), .bytes([UInt8](repeating: 1, count: 256))),
            (.int(-2), .bytes([1, 0, 1])),
        ])
        #expect(refusal { $0.publicKey = rsa.encoded } == .algorithm)
        #expect(refusal { $0.publicKey = [0xA0] } == .publicKey)
        let ones = CBOR.bytes([UInt8](repeating: 1, count: 32))
        let outside = CBOR.map([(.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), ones), (.int(-3), ones)])
        #expect(refusal { $0.publicKey = outside.encoded } == .publicKey)
    }

    @Test("steps 21 to 24: every statement counts as none, even a false one")
    func statements() {
        let statement = CBOR.map([
            (.text("alg"), .int(-7)), (.text("sig"), .bytes([0x30, 0])), (.text("x5c"), .array([.bytes([0x30, 0])])),
        ])
        for format in ["packed", "tpm", "apple", "fido-u2f", "no-such-format"] {
            #expect(
                refusal {
                    $0.format = format
                    $0.statement = statement
                } == nil)
        }
    }

    @Test("step 25: a credential ID has 1 to 1023 bytes")
    func credentialID() {
        for (length, expected) in [(0, .credentialID), (1, nil), (1023, nil), (1024, .credentialID), (2000, .credentialID)]
            as [(Int, PasskeyRefusal?)]
        {
            #expect(refusal { $0.credentialID = [UInt8](repeating: 9, count: length) } == expected)
        }
    }

    @Test("step 28: extensions that nobody requested have no effect")
    func extensions() {
        #expect(refusal { $0.extensions = CBOR.map([(.text("credProtect"), .int(3))]).encoded } == nil)
    }

    /// A step is checked only after the steps before it.
    @Test("the first failed step is reported")
    func order() {
        let changes: [(PasskeyRefusal, (inout SoftwareAuthenticator) -> Void)] = [
            (.credentialID, { $0.credentialID = [] }), (.publicKey, { $0.publicKey = [0xA0] }), (.backupState, { $0.flags = 0b0001_0101 }),
            (.userNotVerified, { $0.flags = 0b0001_0001 }), (.userNotPresent, { $0.flags = 0b0001_0000 }),
            (.relyingParty, { $0.rpID = "evil.test" }),
            (.authenticatorData, { $0.extensions = [0xF6] }), (.attestation, { $0.attestationObject = [] }),
            (.topOrigin, { $0.topOrigin = "https://evil.test" }), (.crossOrigin, { $0.crossOrigin = true }),
            (.origin, { $0.origin = "null" }),
            (.type, { $0.type = "webauthn.get" }), (.clientData, { $0.clientData = [] }),
        ]
        var authenticator = SoftwareAuthenticator()
        for (expected, change) in changes {
            change(&authenticator)
            #expect(ceremony.refusal(of: authenticator) == expected)
        }
    }

    @Test("the fields of the form are base64url without padding")
    func form() throws {
        let response = SoftwareAuthenticator().registration(ceremony.challenge.bytes)
        let (clientData, object) = (response.clientData.base64URL, response.attestationObject.base64URL)
        let form = try Form("client_data=\(clientData)&attestation_object=\(object)&transports=usb,internal,future,Nfc,ble\u{301}&csrf=x")
        let read = try #require(RegistrationResponse(form))
        #expect(read.transports == [.usb, .internal] && read.clientData == response.clientData)
        #expect(throws: Never.self) { try ceremony.party.verify(read, challenge: ceremony.challenge, at: Ceremony.start) }
        #expect(try RegistrationResponse(Form("client_data=\(clientData)&attestation_object=\(object)"))?.transports == [])
        for text in [
            "", "client_data=\(clientData)", "attestation_object=\(object)", "client_data=&attestation_object=\(object)",
            "client_data=\(clientData)=&attestation_object=\(object)", "client_data=\(clientData)&attestation_object=\(object)%20",
            "client_data=\(clientData)&attestation_object=%2B\(object)", "client_data=\(clientData)%CC%81&attestation_object=\(object)",
        ] { #expect(try RegistrationResponse(Form(text)) == nil, "\(text)") }
    }
}
