@testable import Passkeys
import TestSupport
import Testing

@Suite("Authenticator data")
struct AuthenticatorDataTests {
    @Test("the fields of a registration are read")
    func registration() throws {
        var authenticator = SoftwareAuthenticator()
        (authenticator.signCount, authenticator.flags) = (0x0102_0304, 0b0000_0101)
        let data = try #require(AuthenticatorData(authenticator.authenticatorData(withCredential: true)))
        #expect(data.signCount == 0x0102_0304)
        #expect(data.flags == [.userPresent, .userVerified, .attested])
        #expect(data.rpIDHash == Passkeys.RelyingParty(name: "Test", origins: ["https://login.test"])?.idHash)
        let credential = try #require(data.credential)
        #expect(credential.id == authenticator.credentialID && credential.aaguid == authenticator.aaguid)
        #expect(credential.publicKey == authenticator.cose)
    }

    @Test("each flag is its own bit, and reserved bits have no meaning")
    func flags() throws {
        let bits: [(UInt8, AuthenticatorData.Flags)] = [
            (0x01, .userPresent), (0x04, .userVerified), (0x08, .backupEligible), (0x10, .backedUp), (0x02, []), (0x20, []), (0, []),
        ]
        let named: AuthenticatorData.Flags = [.userPresent, .userVerified, .backupEligible, .backedUp, .attested, .extensions]
        for (bit, flag) in bits {
            var authenticator = SoftwareAuthenticator()
            authenticator.flags = bit
            let data = try #require(AuthenticatorData(authenticator.authenticatorData(withCredential: false)))
            #expect(data.flags.intersection(named) == flag && data.credential == nil)
        }
    }

    @Test("every beginning, and every longer text, is refused", arguments: [true, false], [nil, [0xA1, 0x61, 0x61, 0xF5]] as [[UInt8]?])
    func lengths(_ withCredential: Bool, _ extensions: [UInt8]?) {
        var authenticator = SoftwareAuthenticator()
        authenticator.extensions = extensions
        let whole = authenticator.authenticatorData(withCredential: withCredential)
        #expect(AuthenticatorData(whole) != nil)
        for length in 0..<whole.count { #expect(AuthenticatorData(Array(whole[..<length])) == nil, "\(length)") }
        for more in [[0], [0xA0], [0xF6], [UInt8](repeating: 0, count: 5000)] { #expect(AuthenticatorData(whole + more) == nil) }
    }

    @Test("the flags and the layout agree")
    func layout() {
        let withCredential = SoftwareAuthenticator().authenticatorData(withCredential: true)
        let without = SoftwareAuthenticator().authenticatorData(withCredential: false)
        for (bytes, flags) in [
            (withCredential, 0x1D), (withCredential, 0xDD), (withCredential, 0x9D), (without, 0x5D), (without, 0x9D), (without, 0xDD),
        ]
            as [([UInt8], UInt8)]
        {
            var changed = bytes
            changed[32] = flags
            #expect(AuthenticatorData(changed) == nil, "\(flags)")
        }
    }

    @Test("a credential ID has at most the length that is left")
    func credentialIDs() throws {
        var authenticator = SoftwareAuthenticator()
        for length in [0, 1, 255, 256, 1023, 1024] {
            authenticator.credentialID = [UInt8](repeating: 5, count: length)
            let data = AuthenticatorData(authenticator.authenticatorData(withCredential: true))
            #expect(data?.credential?.id.count == length)
        }
        var bytes = SoftwareAuthenticator().authenticatorData(withCredential: true)
        for length in [0xFFFF, 0x7FFF, 200] {
            (bytes[53], bytes[54]) = (UInt8(length >> 8), UInt8(length & 0xFF))
            #expect(AuthenticatorData(bytes) == nil)
        }
    }

    @Test("the key and the outputs of extensions are canonical maps")
    func maps() {
        for invalid in [
            [0xF6], [0x80], [0xBF, 0xFF], [0xA2, 1, 1, 1, 1], [0xA1, 0x18, 1, 1], [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
            as [[UInt8]]
        {
            var authenticator = SoftwareAuthenticator()
            authenticator.extensions = invalid
            #expect(AuthenticatorData(authenticator.authenticatorData(withCredential: false)) == nil, "\(invalid)")
            authenticator.extensions = nil
            authenticator.publicKey = invalid
            #expect(AuthenticatorData(authenticator.authenticatorData(withCredential: true)) == nil, "\(invalid)")
        }
        var authenticator = SoftwareAuthenticator()
        authenticator.extensions = CBOR.map([(.text("credProtect"), .int(2)), (.text("hmac-secret"), .bool(true))]).encoded
        #expect(AuthenticatorData(authenticator.authenticatorData(withCredential: true)) != nil)
    }
}
