import Encoding
import Foundation
@testable import Passkeys
import TestSupport
import Testing

/// In each test of a refusal, the assertion fails only this step of Web Authentication Level 3, section 7.2.
@Suite("Verification of an assertion")
struct VerifyAssertionTests {
    private let ceremony = Ceremony()
    private let authenticator: SoftwareAuthenticator
    private let passkey: Passkey

    init() throws {
        var authenticator = SoftwareAuthenticator()
        authenticator.userHandle = ceremony.userHandle
        self.authenticator = authenticator
        passkey = try ceremony.register(authenticator)
    }

    /// The failed step if one thing is changed. The signature covers the change.
    private func refusal(of account: AssertedAccount? = nil, _ change: (inout SoftwareAuthenticator) -> Void) throws -> PasskeyRefusal? {
        var authenticator = authenticator
        change(&authenticator)
        return ceremony.refusal(of: try authenticator.assertion(ceremony.challenge.bytes), with: passkey, of: account)
    }

    /// The passkey, with other values.
    private static func changed(
        _ passkey: Passkey, id: [UInt8]? = nil, publicKey: [UInt8]? = nil, signCount: UInt32 = 0, isBackupEligible: Bool = true
    ) -> Passkey {
        Passkey(
            id: id ?? passkey.id, publicKey: publicKey ?? passkey.publicKey, aaguid: passkey.aaguid, signCount: signCount,
            isBackupEligible: isBackupEligible, isBackedUp: false, transports: passkey.transports)
    }

    @Test("an assertion returns the passkey with its new state", arguments: ["ES256", "EdDSA"])
    func accepted(_ algorithm: String) throws {
        var authenticator = SoftwareAuthenticator(algorithm)
        authenticator.userHandle = ceremony.userHandle
        let passkey = try ceremony.register(authenticator)
        (authenticator.signCount, authenticator.flags) = (3, 0b0000_1101)
        let next = try ceremony.use(authenticator.assertion(ceremony.challenge.bytes), with: passkey)
        #expect(
            next
                == Passkey(
                    id: passkey.id, publicKey: passkey.publicKey, aaguid: passkey.aaguid, signCount: 3, isBackupEligible: true,
                    isBackedUp: false,
                    transports: [.internal]))
    }

    @Test("step 5: a credential that the options do not have")
    func allowed() throws {
        for (allowed, expected) in [([], nil), ([passkey.id], nil), ([[1], passkey.id], nil), ([[1]], .notAllowed), ([[]], .notAllowed)]
            as [([[UInt8]], PasskeyRefusal?)]
        {
            #expect(try refusal(of: .known(userHandle: ceremony.userHandle, allowed: allowed)) { _ in } == expected)
        }
    }

    @Test("step 6: another credential than the saved one, for a known and for a named account")
    func credential() throws {
        for account in [AssertedAccount.known(userHandle: ceremony.userHandle), .named(userHandle: ceremony.userHandle)] {
            #expect(try refusal(of: account) { _ in } == nil)
            for id in [[], passkey.id + [0], Array(passkey.id.dropLast()), [UInt8](repeating: 0, count: 32)] {
                #expect(try refusal(of: account) { $0.credentialID = id } == .credential)
            }
        }
    }

    @Test("step 6: a known account needs no user handle in the response, but no other one is accepted")
    func userHandleOfKnown() throws {
        let account = AssertedAccount.known(userHandle: ceremony.userHandle)
        for (handle, expected) in [
            (nil, nil), (ceremony.userHandle, nil), ([], .userHandle), (ceremony.userHandle + [0], .userHandle),
            (Array("another handle 1".utf8), .userHandle),
        ] as [([UInt8]?, PasskeyRefusal?)] {
            #expect(try refusal(of: account) { $0.userHandle = handle } == expected)
        }
    }

    @Test("step 6: without a known account, the response must name the owner of the passkey")
    func userHandleOfNamed() throws {
        for handle in [nil, [], Array("another handle 1".utf8)] as [[UInt8]?] {
            #expect(try refusal { $0.userHandle = handle } == .userHandle)
        }
    }

    @Test("steps 8 and 9: the client data is strict JSON")
    func clientData() throws {
        let good = try authenticator.assertion(ceremony.challenge.bytes).clientData
        #expect(try refusal { $0.clientData = good } == nil)
        for bytes in [[], Array("{}".utf8), good + [0], Array(good.dropLast())] {
            #expect(try refusal { $0.clientData = bytes } == .clientData)
        }
    }

    @Test(
        "step 10: the response of a registration",
        arguments: ["webauthn.create", "payment.get", "WEBAUTHN.get", ""] + joining.map { "webauthn.get\($0)" })
    func type(_ type: String) throws {
        #expect(try refusal { $0.type = type } == .type)
    }

    @Test("step 11: replay of an assertion to another challenge")
    func challenge() throws {
        let old = try authenticator.assertion(Ceremony().challenge.bytes)
        #expect(ceremony.refusal(of: old, with: passkey) == .challenge)
        for joining in joining {
            let own = ceremony.challenge.text
            let text = String(decoding: try authenticator.assertion(ceremony.challenge.bytes).clientData, as: UTF8.self)
            #expect(try refusal { $0.clientData = Array(text.replacing(own, with: own + joining).utf8) } == .challenge)
        }
    }

    @Test("a challenge lives longer than the timeout of the browser: 15 minutes")
    func expired() throws {
        let assertion = try authenticator.assertion(ceremony.challenge.bytes)
        #expect(ceremony.refusal(of: assertion, with: passkey, at: Ceremony.start.addingTimeInterval(899)) == nil)
        #expect(ceremony.refusal(of: assertion, with: passkey, at: Ceremony.start.addingTimeInterval(900)) == .expired)
    }

    @Test(
        "step 12: another origin",
        arguments: ["https://evil.test", "http://login.test", "https://login.test.", ""] + joining.map { "https://login.test\($0)" })
    func origin(_ origin: String) throws {
        #expect(try refusal { $0.origin = origin } == .origin)
    }

    @Test("steps 13 and 14: a page in a frame of another origin")
    func frames() throws {
        #expect(try refusal { $0.crossOrigin = true } == .crossOrigin)
        #expect(try refusal { $0.topOrigin = "https://evil.test" } == .topOrigin)
    }

    @Test("step 15: another relying party, or malformed authenticator data")
    func relyingParty() throws {
        #expect(try refusal { $0.rpID = "evil.test" } == .relyingParty)
        #expect(try refusal { $0.extensions = [0x80] } == .authenticatorData)
        #expect(try refusal { $0.attestsAlways = true } == .authenticatorData)
        #expect(try refusal { $0.extensions = CBOR.map([(.text("uvm"), .array([]))]).encoded } == nil)
    }

    @Test("steps 16 to 18: presence, verification and backup")
    func flags() throws {
        #expect(try refusal { $0.flags = 0b0001_1100 } == .userNotPresent)
        #expect(try refusal { $0.flags = 0b0001_1001 } == .userNotVerified)
        #expect(try refusal { $0.flags = 0b0001_0101 } == .backupState)
        #expect(try refusal { $0.flags = 0b0000_1101 } == nil)
    }

    @Test("step 19: a passkey that may suddenly be copied, or the reverse")
    func backupEligibility() throws {
        #expect(try refusal { $0.flags = 0b0000_0101 } == .backupEligibility)
        let assertion = try authenticator.assertion(ceremony.challenge.bytes)
        #expect(ceremony.refusal(of: assertion, with: Self.changed(passkey, isBackupEligible: false)) == .backupEligibility)
    }

    @Test("step 21: a signature of another key, over other data, or none", arguments: ["ES256", "EdDSA"])
    func signature(_ algorithm: String) throws {
        var authenticator = SoftwareAuthenticator(algorithm)
        authenticator.userHandle = ceremony.userHandle
        let passkey = try ceremony.register(authenticator)
        let good = try authenticator.assertion(ceremony.challenge.bytes)
        #expect(ceremony.refusal(of: good, with: passkey) == nil)

        var other = SoftwareAuthenticator(algorithm)
        (other.userHandle, other.credentialID) = (ceremony.userHandle, authenticator.credentialID)
        #expect(try ceremony.refusal(of: other.assertion(ceremony.challenge.bytes), with: passkey) == .signature)
        #expect(ceremony.refusal(of: good, with: Self.changed(passkey, publicKey: other.cose)) == .signature)

        // The signatures of the two parts belong together.
        authenticator.signCount = 1
        let next = try authenticator.assertion(ceremony.challenge.bytes)
        var mixed = good
        mixed.authenticatorData = next.authenticatorData
        #expect(ceremony.refusal(of: mixed, with: passkey) == .signature)
        for signature in [
            [], [0x30, 0], good.signature + [0], Array(good.signature.dropLast()), try authenticator.signature(of: good.authenticatorData),
            try authenticator.signature(of: good.clientData), try authenticator.signature(of: good.authenticatorData + good.clientData),
        ] {
            var changed = good
            changed.signature = signature
            #expect(ceremony.refusal(of: changed, with: passkey) == .signature)
        }
    }

    @Test("a bit that changes after the signature is noticed")
    func everyByte() throws {
        let good = try authenticator.assertion(ceremony.challenge.bytes)
        for index in good.authenticatorData.indices {
            var data = good.authenticatorData
            data[index] ^= 2
            var changed = good
            changed.authenticatorData = data
            #expect(ceremony.refusal(of: changed, with: passkey) == (index < 32 ? .relyingParty : .signature), "\(index)")
        }
        // A space between the members is valid JSON, but has another hash.
        let text = String(decoding: good.clientData, as: UTF8.self).replacing(",", with: ", ")
        var changed = good
        changed.clientData = Array(text.utf8)
        #expect(ceremony.refusal(of: changed, with: passkey) == .signature)
    }

    @Test("a saved key that cannot be read verifies nothing")
    func savedKey() throws {
        let assertion = try authenticator.assertion(ceremony.challenge.bytes)
        for key in [[], [0xA0], passkey.publicKey + [0]] {
            #expect(ceremony.refusal(of: assertion, with: Self.changed(passkey, publicKey: key)) == .publicKey)
        }
    }

    @Test("step 22: a counter that does not grow may be that of a clone, unless both are 0")
    func counter() throws {
        for (stored, received, isAccepted) in [
            (0, 0, true), (0, 1, true), (1, 2, true), (1, 100, true), (0, .max, true), (.max - 1, .max, true), (1, 1, false), (2, 1, false),
            (1, 0, false), (.max, 0, false), (.max, .max, false), (.max, 1, false),
        ] as [(UInt32, UInt32, Bool)] {
            var authenticator = authenticator
            authenticator.signCount = received
            let assertion = try authenticator.assertion(ceremony.challenge.bytes)
            let saved = Self.changed(passkey, signCount: stored)
            #expect(
                ceremony.refusal(of: assertion, with: saved)
                    == (isAccepted ? nil : PasskeyRefusal.possibleClone(stored: stored, received: received)))
            guard isAccepted else { continue }
            #expect(try ceremony.use(assertion, with: saved).signCount == received)
        }
    }

    /// Otherwise anybody who knows a credential ID could report a clone.
    @Test("a clone is reported only with a valid signature")
    func forgedClone() throws {
        var forged = try authenticator.assertion(ceremony.challenge.bytes)
        forged.signature[10] ^= 1
        #expect(ceremony.refusal(of: forged, with: Self.changed(passkey, signCount: 9)) == .signature)
    }

    @Test("the first failed step is reported")
    func order() throws {
        let changes: [(PasskeyRefusal, (inout SoftwareAuthenticator) -> Void)] = [
            (.backupEligibility, { $0.flags = 0b0000_0101 }), (.backupState, { $0.flags = 0b0001_0101 }),
            (.userNotVerified, { $0.flags = 0b0001_0001 }), (.userNotPresent, { $0.flags = 0b0001_0000 }),
            (.relyingParty, { $0.rpID = "evil.test" }),
            (.authenticatorData, { $0.extensions = [0xF6] }), (.topOrigin, { $0.topOrigin = "https://evil.test" }),
            (.crossOrigin, { $0.crossOrigin = true }), (.origin, { $0.origin = "null" }), (.type, { $0.type = "webauthn.create" }),
            (.clientData, { $0.clientData = [] }), (.userHandle, { $0.userHandle = nil }), (.credential, { $0.credentialID = [] }),
        ]
        var authenticator = authenticator
        let saved = Self.changed(passkey, signCount: 5)
        for (expected, change) in changes {
            change(&authenticator)
            #expect(try ceremony.refusal(of: authenticator.assertion(ceremony.challenge.bytes), with: saved) == expected)
        }
    }

    @Test("the fields of the form are base64url without padding, and only the user handle may be absent")
    func form() throws {
        let assertion = try authenticator.assertion(ceremony.challenge.bytes)
        let fields = [
            ("credential_id", assertion.credentialID.base64URL), ("client_data", assertion.clientData.base64URL),
            ("authenticator_data", assertion.authenticatorData.base64URL), ("signature", assertion.signature.base64URL),
            ("user_handle", ceremony.userHandle.base64URL),
        ]
        func response(_ fields: [(String, String)]) throws -> AssertionResponse? {
            AssertionResponse(try Form(fields.map { "\($0.0)=\($0.1)" }.joined(separator: "&")))
        }
        let read = try #require(try response(fields))
        #expect(read.credentialID == assertion.credentialID && read.userHandle == ceremony.userHandle)
        #expect(throws: Never.self) {
            try ceremony.party.verify(
                read, with: passkey, of: .named(userHandle: ceremony.userHandle), challenge: ceremony.challenge, at: Ceremony.start)
        }
        for fields in [Array(fields.dropLast()), Array(fields.dropLast()) + [("user_handle", "")]] {
            let read = try #require(try response(fields))
            #expect(read.userHandle == nil)
        }
        for index in fields.indices {
            for value in ["", "=", "AA==", "%2B", "A", "%CC%81AAAA"] where index < 4 || !value.isEmpty {
                var changed = fields
                changed[index].1 = value
                #expect(try response(changed) == nil, "\(fields[index].0): \(value)")
            }
        }
    }
}
