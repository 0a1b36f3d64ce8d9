import Encoding
import Foundation
@testable import Passkeys
import TestSupport
import Testing

@Suite("Options of passkeys")
struct PasskeyOptionsTests {
    private let party = Passkeys.RelyingParty(name: "Test \"Ä\"", origins: ["https://login.test"])!
    private let challenge = PasskeyChallenge(saved: (0..<32).map { UInt8($0) }, createdAt: Ceremony.start)!
    private let passkey = Passkey(
        id: [0xFF, 0xEF], publicKey: [], aaguid: [], signCount: 0, isBackupEligible: false, isBackedUp: false,
        transports: [.usb, .smartCard])

    @Test("a passkey is discoverable, needs a verified person, and has no statement")
    func creation() throws {
        let user = try #require(PasskeyUser(handle: [0xFB, 0xF0], name: "a@b.test", displayName: "A </script> {{B}}"))
        #expect(
            try party.creationOptions(for: user, excluding: [passkey], challenge: challenge)
                == #"""
                {"rp":{"id":"login.test","name":"Test \"Ä\""},"user":{"id":"-_A","name":"a@b.test","displayName":"A </script> {{B}}"},
                "challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
                "pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-8}],"timeout":300000,
                "excludeCredentials":[{"type":"public-key","id":"_-8","transports":["usb","smart-card"]}],
                "authenticatorSelection":{"residentKey":"required","requireResidentKey":true,"userVerification":"required"},
                "attestation":"none"}
                """#.replacing("\n", with: ""))
    }

    @Test("a sign-in without a user name lists no passkeys")
    func request() throws {
        #expect(
            try party.requestOptions(challenge: challenge)
                == #"{"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","timeout":300000,"rpId":"login.test","#
                + #""allowCredentials":[],"userVerification":"required"}"#)
        #expect(
            try party.requestOptions(allowing: [passkey], challenge: challenge)
                .contains(#""allowCredentials":[{"type":"public-key","id":"_-8","transports":["usb","smart-card"]}]"#))
    }

    @Test("a user handle has 1 to 64 bytes")
    func handles() {
        for (length, isAccepted) in [(0, false), (1, true), (64, true), (65, false)] {
            #expect((PasskeyUser(handle: [UInt8](repeating: 1, count: length), name: "", displayName: "") != nil) == isAccepted)
        }
    }

    @Test("a challenge has 32 random bytes")
    func challenges() {
        struct Counter: RandomNumberGenerator {
            var value: UInt64 = 0
            mutating func next() -> UInt64 {
                value += 1
                return value.littleEndian
            }
        }
        var counter = Counter()
        let made = PasskeyChallenge(at: Ceremony.start, using: &counter)
        #expect(made.bytes == (1...4).flatMap { [UInt8($0), 0, 0, 0, 0, 0, 0, 0] } && made.createdAt == Ceremony.start)
        #expect(PasskeyChallenge(saved: made.bytes, createdAt: made.createdAt) == made)
        var random = SystemRandomness()
        let (one, other) = (PasskeyChallenge(at: Ceremony.start, using: &random), PasskeyChallenge(at: Ceremony.start, using: &random))
        #expect(one != other)
        for length in [0, 16, 31, 33] {
            #expect(PasskeyChallenge(saved: [UInt8](repeating: 0, count: length), createdAt: Ceremony.start) == nil)
        }
    }
}
